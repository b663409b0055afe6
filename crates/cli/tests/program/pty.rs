//! Runs the program in a terminal.

use std::fs::File;
use std::io::Read as _;
use std::process::Command;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Opens a terminal of this width; returns our side and that of the program.
pub(crate) fn open(columns: u16) -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let mut options = File::options();
    let theirs = options.read(true).write(true).open(name.to_str().unwrap());
    let theirs = theirs.unwrap();
    let size = Winsize {
        ws_row: 24,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&theirs, size).unwrap();
    (ours.into(), theirs)
}

/// Reads until nothing holds the side of the program; returns what the terminal shows while the condition
/// holds.
pub(crate) fn read_while(mut ours: File, holds: impl Fn() -> bool) -> String {
    let mut shown = Vec::new();
    let mut piece = [0; 4096];
    // Linux reports an error at the end.
    while let Ok(length @ 1..) = ours.read(&mut piece) {
        if holds() {
            shown.extend_from_slice(&piece[..length]);
        }
    }
    String::from_utf8(shown).unwrap().replace("\r\n", "\n")
}

/// Runs a command whose standard output is a terminal of this width, without colors; returns what it shows.
pub(crate) fn in_terminal(command: &mut Command, columns: u16) -> String {
    let (ours, theirs) = open(columns);
    command.env("NO_COLOR", "1").stdout(theirs);
    let mut process = command.spawn().unwrap();
    // So that the program alone holds its side.
    command.stdout(std::process::Stdio::null());
    let shown = read_while(ours, || true);
    assert!(process.wait().unwrap().success());
    shown
}
