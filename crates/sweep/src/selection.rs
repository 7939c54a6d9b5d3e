//! What is typed to say which members a sweep has, and which of them this process works on.

use crate::error::SweepError;
use std::str::FromStr;

/// More members than anybody looks through.
pub(crate) const MOST: u128 = 100_000;

/// Seeds: numbers and ranges that include both ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeds(pub Vec<u64>);

impl FromStr for Seeds {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let wrong = |message: String| SweepError::Seeds {
            found: text.to_owned(),
            message,
        };
        let number = |word: &str| {
            let word = word.trim();
            word.parse::<u64>()
                .map_err(|_| wrong(format!("`{word}` is no seed")))
        };
        let mut seeds = Vec::new();
        for part in text.split(',') {
            let (first, last) = match part.split_once("..") {
                Some((first, last)) => (number(first)?, number(last)?),
                None => (number(part)?, number(part)?),
            };
            if first > last {
                return Err(wrong(format!("{first} is more than {last}")));
            }
            let found = u128::from(last - first) + 1 + seeds.len() as u128;
            if found > MOST {
                return Err(SweepError::Many { found, most: MOST });
            }
            let new: Vec<u64> = (first..=last)
                .filter(|seed| !seeds.contains(seed))
                .collect();
            seeds.extend(new);
        }
        Ok(Self(seeds))
    }
}

/// One key and the values that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vary {
    /// Where the key is, as in `--set`.
    pub path: String,
    /// Its values, as YAML.
    pub values: Vec<String>,
}

impl FromStr for Vary {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let wrong = |message: &str| SweepError::Vary {
            found: text.to_owned(),
            message: message.to_owned(),
        };
        let (path, list) = text
            .split_once('=')
            .ok_or_else(|| wrong("there is no `=`"))?;
        let values = split(list);
        if path.trim().is_empty() || path.trim() == "seed" {
            return Err(wrong("name a key (seeds are given with --seeds)"));
        }
        if values.iter().any(String::is_empty) {
            return Err(wrong("a value is empty"));
        }
        Ok(Self {
            path: path.trim().to_owned(),
            values,
        })
    }
}

/// Parts between commas that stand in no bracket: values may be lists such as `[0, 900]`.
fn split(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_i32;
    for character in list.chars() {
        depth += match character {
            '[' | '{' => 1,
            ']' | '}' => -1,
            _ => 0,
        };
        match parts.last_mut() {
            Some(part) if character != ',' || depth > 0 => part.push(character),
            _ => parts.push(String::new()),
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

/// Every combination of values, the last key changing fastest.
pub(crate) fn combinations(vary: &[Vary]) -> Vec<Vec<(String, String)>> {
    let mut all = vec![Vec::new()];
    for key in vary {
        let longer = |combination: &Vec<(String, String)>| {
            let with = |value: &String| {
                let mut combination = combination.clone();
                combination.push((key.path.clone(), value.clone()));
                combination
            };
            key.values.iter().map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Which members one process of several works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// All that nobody else works on.
    All,
    /// The same, but beginning with the member of this index: processes that begin together then rarely want the
    /// same one.
    From(usize),
    /// Every `count`-th member, from `index` (counted from 0) on.
    Part {
        /// Which.
        index: usize,
        /// Of how many.
        count: usize,
    },
}

impl Share {
    /// What the environment says of an array job: `SLURM_ARRAY_TASK_ID` with `_COUNT` (and `_MIN`), or the
    /// `JOB_COMPLETION_INDEX` of an indexed Kubernetes job, which does not tell the number of completions: such a
    /// process only begins elsewhere, unless `JOB_COMPLETIONS` tells it.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
        let part = |index: usize, count: usize| {
            let fits = index < count;
            fits.then_some(Self::Part { index, count })
        };
        if let (Some(id), Some(count)) = (
            number("SLURM_ARRAY_TASK_ID"),
            number("SLURM_ARRAY_TASK_COUNT"),
        ) {
            let first = number("SLURM_ARRAY_TASK_MIN").unwrap_or(0);
            // Ids with gaps, as of tasks that are sent once more, are no parts of a whole.
            return part(id.wrapping_sub(first), count).unwrap_or(Self::From(id));
        }
        match (number("JOB_COMPLETION_INDEX"), number("JOB_COMPLETIONS")) {
            (Some(index), Some(count)) => part(index, count).unwrap_or(Self::From(index)),
            (Some(index), None) => Self::From(index),
            _ => Self::All,
        }
    }

    /// Indices of this share's members, of so many, in the order in which they are worked on.
    pub(crate) fn of(self, members: usize) -> Vec<usize> {
        match self {
            Self::All => (0..members).collect(),
            Self::From(first) => {
                let turned = |index| (index + first) % members.max(1);
                (0..members).map(turned).collect()
            }
            Self::Part { index, count } => (index..members).step_by(count.max(1)).collect(),
        }
    }
}

impl FromStr for Share {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let wrong = || SweepError::Shard {
            found: text.to_owned(),
        };
        let (index, count) = text.split_once('/').ok_or_else(wrong)?;
        let index: usize = index.trim().parse().map_err(|_| wrong())?;
        let count: usize = count.trim().parse().map_err(|_| wrong())?;
        if index == 0 || index > count {
            return Err(wrong());
        }
        Ok(Self::Part {
            index: index - 1,
            count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_seeds_include_both_ends() {
        let seeds = |text: &str| text.parse::<Seeds>().unwrap().0;
        assert_eq!(seeds("1..4"), [1, 2, 3, 4]);
        assert_eq!(seeds("7"), [7]);
        assert_eq!(seeds("3,1..3, 9"), [3, 1, 2, 9]);
        for wrong in ["", "4..1", "a", "1..", "-1", "1..99999999999"] {
            assert!(wrong.parse::<Seeds>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_may_be_lists_and_all_combinations_are_made() {
        let vary = |text: &str| text.parse::<Vary>().unwrap();
        let heights = vary("base.elevation_m=[0, 600],[0, 900]");
        assert_eq!(heights.values, ["[0, 600]", "[0, 900]"]);
        let all = combinations(&[heights, vary("a.b=1,2,3")]);
        let values: Vec<String> = all.iter().map(|pairs| pairs[1].1.clone()).collect();
        assert_eq!(values, ["1", "2", "3", "1", "2", "3"]);
        assert_eq!(combinations(&[]).len(), 1);
        for wrong in ["a", "=1", "a=", "a=1,", "seed=1,2"] {
            assert!(wrong.parse::<Vary>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn shards_are_disjoint_and_leave_nothing_out() {
        let mut all: Vec<usize> = (1..=3)
            .flat_map(|part| format!("{part}/3").parse::<Share>().unwrap().of(10))
            .collect();
        all.sort_unstable();
        assert_eq!(all, (0..10).collect::<Vec<_>>());
        for wrong in ["0/3", "4/3", "1", "a/b", "1/0"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
        assert_eq!(Share::From(8).of(10), [8, 9, 0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn array_jobs_are_understood() {
        let share = |pairs: &'static [(&str, &str)]| {
            Share::from_environment(|name| {
                let pair = pairs.iter().find(|pair| pair.0 == name)?;
                Some(pair.1.to_owned())
            })
        };
        assert_eq!(share(&[]), Share::All);
        let slurm = share(&[
            ("SLURM_ARRAY_TASK_ID", "3"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
            ("SLURM_ARRAY_TASK_MIN", "1"),
        ]);
        assert_eq!(slurm, Share::Part { index: 2, count: 4 });
        let again = share(&[
            ("SLURM_ARRAY_TASK_ID", "7"),
            ("SLURM_ARRAY_TASK_COUNT", "2"),
            ("SLURM_ARRAY_TASK_MIN", "3"),
        ]);
        assert_eq!(again, Share::From(7));
        assert_eq!(share(&[("JOB_COMPLETION_INDEX", "5")]), Share::From(5));
    }
}
