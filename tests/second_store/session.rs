//! What an operator and a client do over a store, and what they see.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::support::{Bootstrap, Operation, USERS_PROGRAM};

pub(super) const KEY: &str = "a-read-key-of-the-second-project";
pub(super) const PASSWORD: &str = "a-password-of-the-second-project";

/// The steps over the store at an endpoint.
pub(super) struct Session {
    endpoint: String,
    /// Each step, with what it printed or answered.
    pub(super) steps: Vec<(String, String)>,
}

/// A running function.
pub(super) struct Function {
    operation: Operation,
    program: Bootstrap,
}

/// Returns the path of `feedback`, which Cargo builds beside the functions' programs with the workspace.
fn feedback() -> PathBuf {
    PathBuf::from(USERS_PROGRAM).with_file_name("feedback")
}

impl Session {
    pub(super) fn over(endpoint: String) -> Self {
        Self {
            endpoint,
            steps: Vec::new(),
        }
    }

    /// Runs a command with this standard input. The line that names the store is left out, and how far
    /// an import is, which a slow store gives time to say.
    pub(super) fn run(&mut self, line: &str, input: &str) {
        let variables = "AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null AWS_REGION=us-east-1 \
                         AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local";
        let variables = variables.split(' ').filter_map(|it| it.split_once('='));
        let mut process = Command::new(feedback())
            .args(line.split(' '))
            .env_clear()
            .envs(variables)
            .env("AWS_ENDPOINT_URL_DYNAMODB", &self.endpoint)
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = process.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        let output = process.wait_with_output().unwrap();
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let is_left_out =
            |line: &&str| line.starts_with("writing to ") || line.contains(" records, ");
        let lines = printed.lines().filter(|line| !is_left_out(line));
        let lines: String = lines.map(untimed).collect();
        let output = format!("{:?}\n{lines}", output.status.code());
        self.steps.push((format!("feedback {line}"), output));
    }

    /// Starts one of the functions' programs over the store.
    pub(super) fn function(&self, operation: Operation) -> Function {
        Function {
            operation,
            program: Bootstrap::start(&self.endpoint, operation.program(), &[]),
        }
    }

    /// Sends a v1 event with this header and this query.
    pub(super) async fn request(
        &mut self,
        function: &mut Function,
        header: &(&str, &str),
        query: &str,
    ) {
        let event = function.operation.rest(query, &[*header]);
        let reply = function.program.invoke(&event).await.response();
        let step = format!("{} {query}", function.operation.name());
        let answer = format!("{} {:?}\n{}", reply.status, reply.headers, reply.text());
        self.steps.push((step, answer));
    }
}

/// Leaves out when a credential was created.
fn untimed(line: &str) -> String {
    let is_time = |field: &&str| field.len() == 24 && field.ends_with('Z');
    let fields: Vec<_> = line.split('\t').filter(|field| !is_time(field)).collect();
    fields.join("\t") + "\n"
}
