//! Runs the program in a terminal.

use std::fs::File;
use std::io::Read as _;
use std::process::Command;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Runs a command whose standard output is a terminal of this width, without colors; returns what it shows.
pub(crate) fn in_terminal(command: &mut Command, columns: u16) -> String {
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
    command.env("NO_COLOR", "1").stdout(theirs);
    let mut process = command.spawn().unwrap();
    // The end of the output is when nothing holds their side.
    command.stdout(std::process::Stdio::null());
    let mut shown = Vec::new();
    // Linux reports an error at the end.
    let _ = File::from(ours).read_to_end(&mut shown);
    assert!(process.wait().unwrap().success());
    String::from_utf8(shown).unwrap().replace("\r\n", "\n")
}
