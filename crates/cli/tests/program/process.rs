//! Starts the `feedback` program as a process.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::http::put_demo_credentials;

/// `feedback serve` on free ports, killed when the test ends.
pub(crate) struct Served {
    pub(crate) process: Child,
    /// Standard output after its first line, which has the address of the API.
    pub(crate) stdout: BufReader<ChildStdout>,
    /// Standard error until the service accepts requests.
    pub(crate) greeting: String,
    /// The address of the API.
    pub(crate) api: String,
    /// The addresses of the store.
    dynamodb: Vec<String>,
    /// Standard error after the greeting.
    log: Arc<Mutex<String>>,
    /// The data folder, if it goes with the process.
    pub(crate) folder: Option<tempfile::TempDir>,
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_feedback");
/// With its path: where a command has a `PATH` of its own, a name alone makes Rust copy this process to start it.
const SHELL: &str = "/bin/sh";

/// Builds a command of this line, in which spaces divide the arguments. It inherits no setting that affects
/// the program from the environment of the tests, so it reaches no store or service that a test does not
/// name.
pub(crate) fn feedback(line: &str) -> Command {
    let mut command = isolated(PROGRAM);
    command.env("PATH", path());
    command.args(line.split_whitespace());
    command
}

/// Builds the same command, but with restrictions: text for the shell that ends with an `exec`, to which the
/// program and its arguments are added.
pub(crate) fn restricted(restrictions: &str, line: &str) -> Command {
    let mut command = isolated(SHELL);
    let script = format!("{restrictions} \"$0\" \"$@\"");
    command.args(["-c", &script, PROGRAM]);
    command.args(line.split_whitespace());
    command
}

/// Lets a command act on the store at this URL.
pub(crate) fn at_store<'a>(command: &'a mut Command, url: &str) -> &'a mut Command {
    let key = access_key(url.trim_start_matches("http://"));
    command.env("AWS_ENDPOINT_URL_DYNAMODB", url).envs([
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", &key),
        ("AWS_SECRET_ACCESS_KEY", "unused"),
    ])
}

/// The access keys of the folders whose stores are, or were, at these addresses.
static ACCESS_KEYS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// Returns the access key of the store at this address, if it is a data folder's; any other accepts all keys.
pub(crate) fn access_key(address: &str) -> String {
    let keys = ACCESS_KEYS.lock().unwrap();
    keys.get(address).map_or("local", String::as_str).to_owned()
}

/// Keeps the access key of the folder that a greeting names, for the addresses of its store.
fn keep_access_key(greeting: &str) {
    let Some(started) = start_of(greeting) else {
        return;
    };
    let key = Path::new(started["folder"].as_str().unwrap()).join("aws-credentials");
    // One that is relative to the place of a test is not needed here.
    let Ok(file) = std::fs::read_to_string(key) else {
        return;
    };
    let (_, key) = file.split_once("aws_access_key_id = ").unwrap();
    for store in stores(greeting) {
        let mut keys = ACCESS_KEYS.lock().unwrap();
        keys.insert(store, key[..40].to_owned());
    }
}

/// Returns the line of the log with which a service over a data folder has started.
fn start_of(greeting: &str) -> Option<Value> {
    let mut lines = greeting.lines();
    let line = lines.find(|line| line.contains(r#""message":"started""#))?;
    serde_json::from_str(line)
        .ok()
        .filter(|line: &Value| line["folder"].is_string())
}

/// Returns the addresses of the store that a greeting names.
fn stores(greeting: &str) -> Vec<String> {
    let started = start_of(greeting).and_then(|line| line["tables"].as_str().map(str::to_owned));
    let named = started.unwrap_or_else(|| {
        let lines = greeting.lines().filter(|line| line.starts_with("DynamoDB"));
        let words = lines.filter_map(|line| line.split_whitespace().nth(1));
        words.collect::<Vec<_>>().join(" ")
    });
    named
        .split_whitespace()
        .map(|url| url["http://".len()..].to_owned())
        .collect()
}

/// Builds a script of the shell, in which `feedback` is the program. What other programs print depends on no locale.
pub(crate) fn script(text: &str) -> Command {
    let mut command = isolated(SHELL);
    command.args(["-c", text]).env("PATH", path());
    command.env("LC_ALL", "C");
    command
}

/// Returns a `PATH` on which the program is.
fn path() -> String {
    let folder = Path::new(PROGRAM).parent().unwrap().to_str().unwrap();
    format!("{folder}:{}", std::env::var("PATH").unwrap())
}

fn isolated(program: &str) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_setting(name)) {
        command.env_remove(name);
    }
    command
        .env("AWS_CONFIG_FILE", "/dev/null")
        .env("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn is_setting(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    let prefixes = ["AWS_", "FEEDBACK_", "CLICOLOR"];
    prefixes.iter().any(|prefix| name.starts_with(prefix))
        || name == "PRIVATE_TRAITS"
        || ["_TABLE", "_PROXY"].iter().any(|end| name.ends_with(end))
        || name == "NO_COLOR"
}

/// `feedback serve` on free ports.
pub(crate) const SERVE: &str = "serve --listen 127.0.0.1:0 --dynamodb-listen 127.0.0.1:0";

impl Served {
    /// Starts the service with these options.
    pub(crate) fn start(options: &str) -> Self {
        Self::start_with_env(options, &[])
    }

    /// Starts the service over this data folder, without the demo project.
    pub(crate) fn with_data(folder: &Path) -> Self {
        Self::start(&format!("--data {}", folder.display()))
    }

    pub(crate) fn start_with_env(options: &str, variables: &[(&str, &str)]) -> Self {
        let mut command = feedback(&format!("{SERVE} {options}"));
        Self::ready(command.envs(variables.iter().copied()).spawn().unwrap())
    }

    /// Starts the service with these options over a new data folder, with the credentials of the demo project
    /// and without its records, which take most of the time of a start.
    pub(crate) fn without_records(options: &str) -> Self {
        Self::restricted("exec", options)
    }

    /// Starts the same with restrictions, as of a command.
    pub(crate) fn restricted(restrictions: &str, options: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let serve = format!("{SERVE} --data {} {options}", folder.path().display());
        let process = restricted(restrictions, &serve).spawn();
        let mut served = Self::ready(process.unwrap());
        served.folder = Some(folder);
        put_demo_credentials(&served);
        served
    }

    /// Waits until the service accepts requests.
    pub(crate) fn ready(process: Child) -> Self {
        Self::try_ready(process).unwrap_or_else(|output| panic!("{output:?}"))
    }

    /// Waits until the service accepts requests; returns the output of the process if it ends instead.
    pub(crate) fn try_ready(mut process: Child) -> Result<Self, Output> {
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let api = line.trim().strip_prefix("listening on http://");
        let Some(api) = api.map(str::to_owned) else {
            return Err(Output {
                stdout: line.into_bytes(),
                ..output_of(process)
            });
        };
        let mut lines = BufReader::new(process.stderr.take().unwrap());
        let mut greeting = String::new();
        // Over a data folder it is a line of the log.
        while !greeting.contains(r#""message":"started""#)
            && (!greeting.ends_with("\n\n")
                || (greeting.contains("Demo ") && !greeting.contains("curl ")))
        {
            assert!(lines.read_line(&mut greeting).unwrap() > 0, "{greeting}");
        }
        let log = Arc::new(Mutex::new(String::new()));
        let collected = Arc::clone(&log);
        keep_access_key(&greeting);
        // Without a reader the process would block once the pipe is full.
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                let mut log = collected.lock().unwrap();
                *log += &line;
                log.push('\n');
            }
        });
        Ok(Self {
            process,
            stdout,
            dynamodb: stores(&greeting),
            greeting,
            api,
            log,
            folder: None,
        })
    }

    /// Returns the address of the store.
    pub(crate) fn dynamodb(&self) -> &str {
        &self.dynamodb[0]
    }

    /// Returns the metrics, of a service that has an address for them.
    pub(crate) fn metrics(&self) -> String {
        let started = start_of(&self.greeting).unwrap();
        let url = started["metrics"].as_str().unwrap().to_owned();
        let address = url
            .trim_start_matches("http://")
            .trim_end_matches("/metrics");
        crate::http::get(address, "/metrics", "Accept: */*")
    }

    /// Waits until the log has this many lines, and returns it.
    pub(crate) fn log(&self, lines: usize) -> String {
        wait_for("such log", || {
            let log = self.log.lock().unwrap().clone();
            (log.lines().count() >= lines).then_some(log)
        })
    }

    pub(crate) fn signal(&self, signal: &str) {
        send_signal(self.process.id(), signal);
    }

    /// Ends the process as an operator does.
    pub(crate) fn end(mut self) {
        self.signal("TERM");
        self.wait();
    }

    /// Waits until the process ends; returns its status.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        with_deadline(self.process.id(), || self.process.wait().unwrap())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs the command; returns its output.
pub(crate) fn output(command: &mut Command) -> Output {
    output_of(command.spawn().unwrap())
}

/// Waits until the process ends; returns its output.
pub(crate) fn output_of(process: Child) -> Output {
    let id = process.id();
    with_deadline(id, || process.wait_with_output().unwrap())
}

/// Kills the process if waiting for it takes longer than a minute, so that a process that does not
/// end fails its test instead of blocking it.
fn with_deadline<T>(process: u32, wait: impl FnOnce() -> T) -> T {
    const LIMIT: Duration = Duration::from_mins(1);
    let (ended, end) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        if end.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            // With the others of its group, if it has one of its own.
            let kill = format!("kill -s KILL -- -{process} || kill -s KILL {process}");
            let _ = Command::new("sh").args(["-c", &kill]).status();
        }
    });
    let outcome = wait();
    drop(ended);
    outcome
}

pub(crate) fn send_signal(process: u32, signal: &str) {
    let mut kill = Command::new("sh");
    let kill = kill.args(["-c", "kill -$0 $1", signal, &process.to_string()]);
    assert!(kill.status().unwrap().success());
}

pub(crate) fn run(line: &str) -> Output {
    output(&mut feedback(line))
}

/// Runs a command with this standard input.
pub(crate) fn run_with_input(command: &mut Command, input: impl AsRef<[u8]>) -> Output {
    let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, input.as_ref()).unwrap();
    drop(stdin);
    output_of(process)
}

/// Tries this until there is a result.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, attempt: impl Fn() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(result) = attempt() {
            return result;
        }
        assert!(started.elapsed() < Duration::from_mins(1), "no {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
