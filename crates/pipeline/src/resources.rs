//! What the machine has to give.

use std::path::{Path, PathBuf};

/// Memory, in bytes, that this process may still take; none where the system does not say.
///
/// The system's own estimate, or what a control group leaves, if that is less.
#[must_use]
pub fn available_memory() -> Option<u64> {
    let system = meminfo(&std::fs::read_to_string("/proc/meminfo").ok()?)?;
    let group = std::fs::read_to_string("/proc/self/cgroup").ok();
    let group = group.and_then(|text| group_leaves(Path::new("/sys/fs/cgroup"), &text));
    Some(group.map_or(system, |group| group.min(system)))
}

/// Largest resident size, in bytes, that this process has had so far; none where the system does not say.
#[must_use]
pub fn peak_resident() -> Option<u64> {
    kibibytes(
        &std::fs::read_to_string("/proc/self/status").ok()?,
        "VmHWM:",
    )
}

/// Bytes free for files in a folder that may not be there yet.
pub(crate) fn free_disk(folder: &Path) -> Option<u64> {
    let folder = std::path::absolute(folder).ok()?;
    let there = folder.ancestors().find(|folder| folder.is_dir())?;
    thalweg_geotiff::free_space(there)
}

fn meminfo(text: &str) -> Option<u64> {
    kibibytes(text, "MemAvailable:")
}

fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

/// What the tightest control group of version 2 on the way to the root leaves.
fn group_leaves(root: &Path, membership: &str) -> Option<u64> {
    let name = membership
        .lines()
        .find_map(|line| line.strip_prefix("0::/"))?;
    let folder = root.join(name);
    folder
        .ancestors()
        .take_while(|folder| folder.starts_with(root))
        .filter_map(|folder| {
            let limit = number(folder.join("memory.max"))?;
            let used = number(folder.join("memory.current"))?;
            // Cached file pages count as used but make way.
            let cached = std::fs::read_to_string(folder.join("memory.stat")).ok();
            let cached = cached
                .and_then(|text| word(&text, "inactive_file "))
                .unwrap_or(0);
            Some(limit.saturating_sub(used.saturating_sub(cached)))
        })
        .min()
}

fn word(text: &str, key: &str) -> Option<u64> {
    text.lines()
        .find_map(|line| line.strip_prefix(key))?
        .trim()
        .parse()
        .ok()
}

fn number(file: PathBuf) -> Option<u64> {
    // `max`, which is no number, is no limit.
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn memory_is_what_the_kernel_says_is_available() {
        let text = "MemTotal:       16000 kB\nMemFree:  1 kB\nMemAvailable:   8000 kB\n";
        assert_eq!(meminfo(text), Some(8_192_000));
        assert_eq!(meminfo("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn the_tightest_control_group_counts() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        let group = |folder: &Path, limit: &str, used: &str| {
            fs::write(folder.join("memory.max"), limit).unwrap();
            fs::write(folder.join("memory.current"), used).unwrap();
        };
        group(&inner, "max\n", "100\n");
        assert_eq!(group_leaves(root.path(), "0::/a/b\n"), None);
        group(&root.path().join("a"), "1000\n", "400\n");
        assert_eq!(group_leaves(root.path(), "0::/a/b\n"), Some(600));
        fs::write(
            root.path().join("a/memory.stat"),
            "anon 300\ninactive_file 100\n",
        )
        .unwrap();
        assert_eq!(group_leaves(root.path(), "0::/a/b\n"), Some(700));
        group(&inner, "500\n", "450\n");
        assert_eq!(group_leaves(root.path(), "0::/a/b\n"), Some(50));
    }
}
