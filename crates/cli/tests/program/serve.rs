//! `feedback serve`: its greeting, its demo project, and the proxies of the environment.

use std::collections::BTreeSet;
use std::io::Read as _;

use serde_json::Value;

use crate::access_key::{authorization, refused};
use crate::http::{ClosedPort, DEMO_PASSWORD, get, put_demo_credentials, put_user, status};
use crate::operator::Operator;
use crate::outcome::succeeded;
use crate::place::Place;
use crate::process::{SERVE, Served, access_key, feedback, output, run, script};

/// Checks that the requests of the greeting succeed.
fn check_requests(served: &Served) {
    let (api, greeting) = (format!("http://{}", served.api), &served.greeting);
    let first = format!("Open {api}/ (sample data)\n");
    assert!(greeting.starts_with(&first), "{greeting}");
    let curls = greeting.lines().filter(|line| line.starts_with("curl "));
    let [statistics, users] = curls.collect::<Vec<_>>()[..] else {
        panic!("{greeting}")
    };
    let target = |line: &str| {
        let target = line.split(&api).nth(1).unwrap();
        target.trim_end_matches('\'').to_owned()
    };
    let header = statistics.split('\'').nth(1).unwrap();
    assert_eq!(header, "AuthKey: demo-read-key-0000");
    let response = get(&served.api, &target(statistics), header);
    let figures = r#""nps":21.09375,"frequency":[2,4,5,8,5,12,23,28,56,55,58]"#;
    assert!(response.contains(figures), "{response}");
    assert!(users.contains("-u demo:demo-password-0000 "), "{users}");
    let response = get(&served.api, &target(users), DEMO_PASSWORD);
    assert_eq!(response.matches(r#""userId":"#).count(), 2, "{response}");
}

/// Checks that the command of the greeting draws the demo.
fn check_command(served: &Served) {
    let mut lines = served.greeting.lines();
    let line = lines.find(|line| line.contains("feedback stats "));
    let drawn = succeeded(&output(&mut script(line.unwrap())));
    for plan in ["free", "growth", "enterprise"] {
        assert!(drawn.contains(plan), "{drawn}");
    }
}

/// Checks that every address of the greeting is one of the store, for which a temporary folder needs no key.
fn check_addresses(served: &Served) {
    assert!(!served.greeting.contains("AWS_SHARED_CREDENTIALS_FILE"));
    let addresses = served.greeting.lines();
    let addresses: BTreeSet<_> = addresses
        .filter_map(|line| line.strip_prefix("DynamoDB  http://"))
        .collect();
    assert_eq!(addresses.len(), 2, "{}", served.greeting);
    for (user, address) in ["one", "two"].into_iter().zip(addresses) {
        assert_eq!(access_key(address), "local");
        put_user(address, user);
        let target = format!("/api/users?project=demo&userId={user}");
        let response = get(&served.api, &target, DEMO_PASSWORD);
        let user = format!(r#""userId":"{user}""#);
        assert!(response.contains(&user), "{response}");
    }
}

/// Checks that the page is told a key that works, and a trait to group by.
fn check_suggestion(served: &Served) {
    let response = get(&served.api, "/dashboard/settings.json", "Accept: */*");
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("cache-control: no-store"), "{head}");
    let settings: Value = serde_json::from_str(body).unwrap();
    let [project, group, key] =
        ["project", "group", "readKey"].map(|name| settings[name].as_str().unwrap());
    // The last 30 days.
    let path = "/api/v2/response-statistics?project=";
    let target = format!("{path}{project}&groupBy=user.traits.string.{group}");
    let response = get(&served.api, &target, &format!("AuthKey: {key}"));
    let groups = response.matches(r#""displays":"#).count();
    let empty = response.matches(r#""displays":0"#).count();
    assert_eq!((groups, empty), (3, 0), "{response}");
}

#[test]
fn the_sample_data_are_served_as_the_greeting_and_the_page_say() {
    let mut served = Served::start("--dynamodb-listen 127.0.0.1:0");
    check_requests(&served);
    check_command(&served);
    check_addresses(&served);
    check_suggestion(&served);
    served.signal("TERM");
    served.wait();
    let mut rest = String::new();
    served.stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "standard output has one line");
}

#[test]
fn variables_stand_for_options_which_precede_them_and_empty_ones_say_nothing() {
    let place = Place::new();
    let data = place.path("of variable");
    let served = |line: &str, variables: &[(&str, &str)]| {
        let mut command = place.command(line);
        Served::ready(command.envs(variables.iter().copied()).spawn().unwrap())
    };
    let variables = [
        ("FEEDBACK_LISTEN", "127.0.0.1:0"),
        ("FEEDBACK_DYNAMODB_LISTEN", "127.0.0.1:0,127.0.0.2:0"),
        ("FEEDBACK_METRICS_LISTEN", "127.0.0.1:0"),
        ("FEEDBACK_DATA", data.to_str().unwrap()),
        ("FEEDBACK_URL", "http://nowhere.invalid"),
        ("FEEDBACK_PROJECT", "!"),
        ("PRIVATE_TRAITS", "plan"),
    ];
    let of_variables = served("serve", &variables);
    assert!(of_variables.greeting.contains(" http://127.0.0.2:"));
    assert!(of_variables.metrics().contains("feedback_build_info"));
    let private = |served: &Served| {
        let path = "/api/v2/response-statistics?project=demo&groupBy=user.traits.string.";
        let key = "AuthKey: demo-read-key-0000";
        ["email", "plan"].map(|name| status(&served.api, &format!("{path}{name}"), key))
    };
    put_demo_credentials(&of_variables);
    assert_eq!(private(&of_variables), [200, 403]);
    let of_options = served(
        &format!(
            "serve --data {} --private-traits email",
            place.data().display()
        ),
        &variables,
    );
    put_demo_credentials(&of_options);
    assert_eq!(private(&of_options), [403, 200]);
    assert!(data.exists() && place.data().exists());
    let empty = variables.map(|(name, _)| (name, ""));
    let of_empty = served(
        &format!("{SERVE} --data {}", place.path("other").display()),
        &empty,
    );
    put_demo_credentials(&of_empty);
    assert_eq!(private(&of_empty), [200, 200]);
    assert!(!of_empty.greeting.contains("/metrics"));
}

#[test]
fn a_folder_that_is_created_is_reported_because_it_may_be_mistyped_and_has_no_credentials() {
    let place = Place::new();
    let message = r#""message":"creating the data folder","folder":""#;
    let served = place.serve();
    assert!(served.greeting.contains(message), "{}", served.greeting);
    for word in ["demo", "Read Key", "password"] {
        assert!(!served.greeting.contains(word), "{}", served.greeting);
    }
    let users = "/api/users?project=demo";
    assert_eq!(status(&served.api, users, DEMO_PASSWORD), 401);
    drop(served);
    assert!(!place.serve().greeting.contains(message));
}

#[test]
fn a_printed_command_runs_where_the_program_was_run() {
    let place = Place::new();
    std::fs::create_dir(place.path("a b")).unwrap();
    let program = place.path("a b/feedback");
    std::fs::copy(env!("CARGO_BIN_EXE_feedback"), &program).unwrap();
    let serve = format!("PATH=/nowhere; exec 'a b/feedback' {SERVE}");
    let served = Served::ready(script(&serve).current_dir(place.path("")).spawn().unwrap());
    let mut lines = served.greeting.lines();
    let command = lines.find(|line| line.contains(" stats ")).unwrap();
    assert!(command.contains(" 'a b/feedback' stats "), "{command}");
    succeeded(&output(script(command).current_dir(place.path(""))));
}

#[test]
fn the_demo_project_remains_in_a_folder_and_its_credentials_are_reported_until_they_are_revoked() {
    let place = Place::new();
    let serve = |address: &str, option: &str| {
        let serve = SERVE.replacen("127.0.0.1", address, 1);
        let serve = format!("{serve} --data {} {option}", place.data().display());
        Served::ready(feedback(&serve).spawn().unwrap())
    };
    let (loopback, everywhere) = ("127.0.0.1", "0.0.0.0");
    let users = "/api/users?project=demo&limit=1";
    let served = serve(everywhere, "--demo");
    assert_eq!(status(&served.api, users, DEMO_PASSWORD), 200);
    let refused = refused(served.dynamodb(), &authorization("local"));
    assert!(refused.contains("UnrecognizedClientException"), "{refused}");
    let with_demo = served.greeting.clone();
    drop(served);
    let served = serve(loopback, "");
    assert_eq!(status(&served.api, users, DEMO_PASSWORD), 200);
    assert!(!served.greeting.contains("WARN"), "{}", served.greeting);
    drop(served);
    let warning = serve(everywhere, "").greeting.clone();
    let line: Value = serde_json::from_str(warning.lines().next().unwrap()).unwrap();
    assert_eq!(line["level"], "WARN", "{warning}");
    let ids: Vec<_> = line["credentials"].as_str().unwrap().split(' ').collect();
    assert_eq!(ids.len(), 2, "{warning}");
    assert!(with_demo.contains(ids[0]), "{with_demo}");
    let data = place.data();
    for id in ids {
        let revoke = format!("credentials revoke {id} --data {} --yes", data.display());
        succeeded(&run(&revoke));
    }
    let served = serve(everywhere, "");
    assert!(!served.greeting.contains("WARN"), "{}", served.greeting);
    assert_eq!(status(&served.api, users, DEMO_PASSWORD), 401);
}

#[test]
fn proxies_of_the_environment_are_not_used_for_local_addresses() {
    let closed = ClosedPort::reserve();
    let proxy = format!("http://{}", closed.address());
    let names = "HTTP_PROXY http_proxy HTTPS_PROXY ALL_PROXY all_proxy".split(' ');
    let variables: Vec<_> = names.map(|name| (name, proxy.as_str())).collect();
    let place = Place::new();
    let data = format!("--data {}", place.data().display());
    let served = Served::start_with_env(&data, &variables);
    put_demo_credentials(&served);
    let users = "/api/users?project=demo&limit=1";
    assert_eq!(status(&served.api, users, DEMO_PASSWORD), 200);
    let operator = Operator::new();
    let line = format!("stats --project acme --url {}", operator.api());
    succeeded(&output(operator.command(&line).envs(variables)));
}
