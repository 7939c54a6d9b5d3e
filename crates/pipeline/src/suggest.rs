//! "Did you mean": the known words nearest to a misspelt one.

/// Words that someone who typed `word` may have meant, the likeliest first; at most three.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|candidate| {
            (
                strsim::normalized_damerau_levenshtein(word, candidate),
                candidate,
            )
        })
        .filter(|(score, candidate)| {
            // A beginning or an end of the right word counts, however much is missing.
            *score >= 0.6
                || word.len() >= 3 && (candidate.contains(word) || word.contains(candidate))
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(3).map(|(_, word)| word).collect()
}

/// "did you mean `a` or `b`?", or what there is when nothing is near.
pub(crate) fn advice(word: &str, known: &[&str], kind: &str) -> String {
    let near = nearest(word, known.iter().copied());
    if near.is_empty() {
        return format!("{kind} here: {}", quoted(known, ", "));
    }
    format!("did you mean {}?", quoted(&near, " or "))
}

/// Words in back quotes.
pub(crate) fn quoted(words: &[&str], separator: &str) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_nonsense_finds_none() {
        let known = ["droplets_per_cell", "cycles", "density", "friction"];
        assert_eq!(nearest("droplet_per_cell", known), ["droplets_per_cell"]);
        assert_eq!(nearest("cylces", known), ["cycles"]);
        assert_eq!(nearest("droplets", known), ["droplets_per_cell"]);
        assert!(nearest("zzz", known).is_empty());
    }
}
