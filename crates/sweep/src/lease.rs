//! Who works on a member. A lease is a file that its owner changes every few seconds; nobody else is asked whether the
//! owner lives, and process ids mean nothing.
//!
//! - Leases are numbered. To take one over is to make the file of the next number, which only one can do; the
//!   owner of a lower number finds that out when it next beats. No file is removed that somebody may yet hold.
//! - A lease is free when its owner has let it go, when it has not changed for [`STALE`] by the clock of the one who
//!   looks (clocks of two machines are never compared), or, on the same machine, at once when the lock on it is
//!   free: the system takes it off the dead.
//! - It appears under its name locked and complete, by a hard link.

use crate::files::{Place, temporary, token};
use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Time between two beats. Longer: a dead owner is found out later; shorter: more work for a shared file system.
pub(crate) const BEAT: Duration = Duration::from_secs(5);
/// An owner on another machine that has been silent for so long is dead: twelve beats, since shared file systems show
/// changes late.
pub(crate) const STALE: Duration = Duration::from_secs(60);

const NAME: &str = "lease.";

/// A member that is this process's.
#[derive(Debug)]
pub(crate) struct Lease {
    place: Place,
    number: u64,
    file: File,
    beats: u64,
}

/// What others' leases looked like, and since when.
#[derive(Debug, Default)]
pub(crate) struct Watch(Mutex<HashMap<PathBuf, (String, Instant)>>);

impl Watch {
    /// Whether a lease has looked the same for so long that its owner is dead.
    fn silent(&self, path: &Path, content: &str, stale: Duration) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let entry = seen
            .entry(path.to_owned())
            .or_insert_with(|| (content.to_owned(), now));
        if entry.0 != content {
            *entry = (content.to_owned(), now);
        }
        now.duration_since(entry.1) >= stale
    }
}

impl Lease {
    /// Takes a member, if nobody has it.
    pub(crate) fn take(place: &Place, watch: &Watch, stale: Duration) -> io::Result<Option<Self>> {
        let newest = newest(place)?;
        if let Some(number) = newest
            && !free(&path(place, number), |path, content| {
                watch.silent(path, content, stale)
            })
        {
            return Ok(None);
        }
        let number = newest.unwrap_or(0) + 1;
        let target = path(place, number);
        let temporary = temporary(&target);
        let made = make(place, number, &temporary, &target);
        let _ = fs::remove_file(&temporary);
        let Some(lease) = made? else { return Ok(None) };
        if !lease.is_newest()? {
            return Ok(None);
        }
        // Whoever still holds an older one finds the newer one.
        for older in numbers(place)?.into_iter().filter(|older| *older < number) {
            let _ = fs::remove_file(path(place, older));
        }
        Ok(Some(lease))
    }

    /// Shows that the owner lives; false: another has taken the member, which is to be let alone.
    pub(crate) fn beat(&mut self) -> io::Result<bool> {
        self.beats += 1;
        self.tell(false)?;
        self.is_newest()
    }

    /// Lets the member go, so that anybody may go on with it.
    pub(crate) fn release(mut self) {
        // Else the others wait until it is stale.
        let _ = self.tell(true);
    }

    /// Takes the lease away from a member whose end is written.
    pub(crate) fn end(self) {
        let numbers = numbers(&self.place).unwrap_or_default();
        for number in numbers.into_iter().filter(|number| *number <= self.number) {
            let _ = fs::remove_file(path(&self.place, number));
        }
    }

    fn is_newest(&self) -> io::Result<bool> {
        Ok(newest(&self.place)? == Some(self.number))
    }

    /// One line of always the same length, in place: the file may be nobody's any more, which harms nothing.
    fn tell(&mut self, released: bool) -> io::Result<()> {
        let line = format!(
            "{} {} {:012} {}\n",
            token(),
            machine(),
            self.beats,
            u8::from(released)
        );
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(line.as_bytes())
    }
}

fn make(place: &Place, number: u64, temporary: &Path, target: &Path) -> io::Result<Option<Lease>> {
    let mut lease = Lease {
        place: place.clone(),
        number,
        file: File::create_new(temporary)?,
        beats: 0,
    };
    lease.tell(false)?;
    // Where there are no locks, silence alone tells.
    let _ = lease.file.try_lock();
    match fs::hard_link(temporary, target) {
        Ok(()) => Ok(Some(lease)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(error),
        // No hard links here: made and then filled, it is for a moment one that only silence can free.
        Err(_) => match File::create_new(target) {
            Ok(file) => {
                lease.file = file;
                let _ = lease.file.try_lock();
                lease.tell(false)?;
                Ok(Some(lease))
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(error),
        },
    }
}

/// Whether somebody works on a member, for those who only look.
pub(crate) fn held(place: &Place) -> bool {
    let Ok(Some(number)) = newest(place) else {
        return false;
    };
    let silent = |path: &Path, _: &str| {
        let changed = fs::metadata(path).and_then(|found| found.modified());
        let age = changed.map(|changed| SystemTime::now().duration_since(changed));
        matches!(age, Ok(Ok(age)) if age > STALE)
    };
    !free(&path(place, number), silent)
}

fn free(path: &Path, silent: impl Fn(&Path, &str) -> bool) -> bool {
    let mut content = String::new();
    let Ok(mut file) = File::open(path) else {
        // Gone: the member has come to its end, or the lease is an older one. Whoever takes it looks again.
        return true;
    };
    if file.read_to_string(&mut content).is_err() {
        return false;
    }
    let words: Vec<&str> = content.split_whitespace().collect();
    match words[..] {
        [.., "1"] => return true,
        [_, its_machine, ..] if its_machine == machine() => match file.try_lock_shared() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) => return false,
            Err(TryLockError::Error(_)) => {}
        },
        _ => {}
    }
    silent(path, &content)
}

fn path(place: &Place, number: u64) -> PathBuf {
    place.own(&format!("{NAME}{number}"))
}

fn numbers(place: &Place) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(place.own(""))? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(NAME));
        numbers.extend(number.and_then(|number| number.parse::<u64>().ok()));
    }
    Ok(numbers)
}

fn newest(place: &Place) -> io::Result<Option<u64>> {
    Ok(numbers(place)?.into_iter().max())
}

/// This machine since its last start, in one word.
fn machine() -> &'static str {
    static MACHINE: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    MACHINE.get_or_init(|| {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        match boot.trim() {
            // A machine that does not say which it is: each process for itself, silence tells.
            "" => format!("unknown-{}", token()),
            boot => boot.to_owned(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    fn place() -> (tempfile::TempDir, Place) {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(folder.path(), "a");
        fs::create_dir_all(place.own("")).unwrap();
        (folder, place)
    }

    fn take(place: &Place, stale: Duration) -> Option<Lease> {
        Lease::take(place, &Watch::default(), stale).unwrap()
    }

    #[test]
    fn of_many_who_want_a_member_one_gets_it() {
        for _ in 0..50 {
            let (_folder, place) = place();
            let gate = Barrier::new(8);
            let leases: Vec<Option<Lease>> = std::thread::scope(|scope| {
                let one = || {
                    gate.wait();
                    take(&place, STALE)
                };
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
                threads
                    .into_iter()
                    .map(|thread| thread.join().unwrap())
                    .collect()
            });
            assert_eq!(leases.iter().flatten().count(), 1);
        }
    }

    #[test]
    fn what_is_held_is_not_taken_and_what_is_let_go_or_left_by_the_dead_is() {
        let (_folder, place) = place();
        let mut first = take(&place, STALE).unwrap();
        assert!(held(&place));
        assert!(take(&place, STALE).is_none());
        assert!(first.beat().unwrap());
        first.release();
        assert!(!held(&place));
        let second = take(&place, STALE).unwrap();
        assert!(take(&place, STALE).is_none());
        // The lock goes with its owner.
        drop(second);
        let third = take(&place, STALE).unwrap();
        third.end();
        assert_eq!(numbers(&place).unwrap(), Vec::<u64>::new());
    }

    #[test]
    fn an_owner_on_another_machine_is_dead_when_it_is_silent_and_alive_while_it_beats() {
        let (_folder, place) = place();
        let file = path(&place, 1);
        let line = |beat: u32| format!("owner elsewhere {beat:012} 0\n");
        let watch = Watch::default();
        let stale = Duration::from_millis(150);
        for beat in 0..6 {
            fs::write(&file, line(beat)).unwrap();
            assert!(Lease::take(&place, &watch, stale).unwrap().is_none());
            std::thread::sleep(stale / 5);
        }
        std::thread::sleep(stale);
        assert!(Lease::take(&place, &watch, stale).unwrap().is_some());
    }

    #[test]
    fn an_owner_that_lost_its_member_learns_it() {
        let (_folder, place) = place();
        let mut lease = take(&place, STALE).unwrap();
        fs::write(path(&place, 2), "owner elsewhere 000000000000 0\n").unwrap();
        assert!(!lease.beat().unwrap());
    }
}
