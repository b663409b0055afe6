use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// `feedback serve` on free ports, killed when the test ends.
pub(crate) struct Served {
    pub(crate) process: Child,
    /// Everything on standard error up to the moment that requests are accepted.
    pub(crate) greeting: String,
    pub(crate) api: String,
}

pub(crate) fn feedback(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_feedback"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

pub(crate) const FREE_PORTS: [&str; 5] = [
    "serve",
    "--listen",
    "127.0.0.1:0",
    "--dynamodb-listen",
    "127.0.0.1:0",
];

impl Served {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_with_env(arguments, &[])
    }

    pub(crate) fn start_with_env(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = feedback(&[&FREE_PORTS, arguments].concat());
        Self::spawn(command.envs(variables.iter().copied()))
    }

    /// Starts it with at most this many open files.
    #[cfg(unix)]
    pub(crate) fn start_with_file_limit(files: u32) -> Self {
        let program = env!("CARGO_BIN_EXE_feedback");
        let script = format!("ulimit -n {files} && exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command
            .args(["-c", &script, program])
            .args(FREE_PORTS)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self::spawn(&mut command)
    }

    fn spawn(command: &mut Command) -> Self {
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        let api = line
            .trim()
            .strip_prefix("listening on http://")
            .expect(&line)
            .to_owned();
        let mut greeting = String::new();
        let mut lines = BufReader::new(process.stderr.take().unwrap());
        while !greeting.ends_with("\n\n")
            || (greeting.contains("Demo ") && !greeting.contains("curl "))
        {
            assert!(lines.read_line(&mut greeting).unwrap() > 0, "{greeting}");
        }
        // Somebody has to read the rest, or the process would wait for it.
        std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        Self {
            process,
            greeting,
            api,
        }
    }

    pub(crate) fn with_data(folder: &Path) -> Self {
        Self::start(&["--demo", "--data", folder.to_str().unwrap()])
    }

    pub(crate) fn dynamodb(&self) -> &str {
        let line = self
            .greeting
            .lines()
            .find(|line| line.starts_with("DynamoDB"))
            .unwrap();
        line.rsplit("http://").next().unwrap()
    }

    pub(crate) fn signal(&self, signal: &str) {
        let id = self.process.id().to_string();
        assert!(
            Command::new("sh")
                .args(["-c", "kill -$0 $1", signal, &id])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Waits for the end, and says how long it took.
    pub(crate) fn end(&mut self) -> (ExitStatus, Duration) {
        let started = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return (status, started.elapsed());
            }
            assert!(
                started.elapsed() < Duration::from_secs(10),
                "it does not end"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn run(arguments: &[&str]) -> Output {
    feedback(arguments).output().unwrap()
}

/// Checks for exit code 1 and one line on standard error, and gives the line.
#[track_caller]
pub(crate) fn only_line(output: &Output) -> String {
    let line = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{line}");
    assert!(output.stdout.is_empty());
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}
