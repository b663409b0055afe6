//! `feedback serve`: its greeting, its demo project, and the proxies of the environment.

use std::collections::BTreeSet;
use std::io::Read;

use crate::http::{ClosedPort, DEMO_ACCOUNT, get, put_user, status};
use crate::operator::Operator;
use crate::process::{Served, output, succeeded};

#[test]
fn the_greeting_prints_both_addresses_and_requests_that_succeed() {
    let served = Served::start(&[]);
    let (api, greeting) = (format!("http://{}", served.api), &served.greeting);
    let first = format!("Open {api}/ (sample data)\n");
    assert!(greeting.starts_with(&first), "{greeting}");
    let curls: Vec<_> = greeting
        .lines()
        .filter(|line| line.starts_with("curl "))
        .collect();
    let [statistics, users] = curls[..] else {
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
    let response = get(&served.api, &target(users), DEMO_ACCOUNT);
    assert_eq!(response.matches(r#""userId":"#).count(), 2, "{response}");
    put_user(served.dynamodb(), "a-new-user");
    let user = "/api/users?project=demo&userId=a-new-user";
    let response = get(&served.api, user, DEMO_ACCOUNT);
    assert!(response.contains(r#""userId":"a-new-user""#), "{response}");
}

#[test]
fn the_store_is_served_at_every_address_that_is_given() {
    let served = Served::start(&["--dynamodb-listen", "127.0.0.1:0"]);
    let addresses = served.greeting.lines();
    let addresses: BTreeSet<_> = addresses
        .filter_map(|line| line.strip_prefix("DynamoDB  http://"))
        .collect();
    assert_eq!(addresses.len(), 2, "{}", served.greeting);
    for (user, address) in ["one", "two"].into_iter().zip(addresses) {
        put_user(address, user);
        let target = format!("/api/users?project=demo&userId={user}");
        let response = get(&served.api, &target, DEMO_ACCOUNT);
        assert!(
            response.contains(&format!(r#""userId":"{user}""#)),
            "{response}"
        );
    }
}

#[test]
fn the_traits_that_name_people_are_an_option() {
    let status_of = |served: &Served, name: &str| {
        let path = "/api/v2/response-statistics?project=demo&groupBy=user.traits.string.";
        let target = format!("{path}{name}");
        status(&served.api, &target, "AuthKey: demo-read-key-0000")
    };
    for (arguments, email, plan) in [
        (&[][..], 403, 200),
        (&["--private-traits", "Plan, company"], 200, 403),
        (&["--private-traits", ""], 200, 200),
    ] {
        let served = Served::start(arguments);
        let found = ["email", "plan"].map(|name| status_of(&served, name));
        assert_eq!(found, [email, plan], "{arguments:?}");
    }
}

#[test]
fn standard_output_has_one_line() {
    let mut served = Served::start(&[]);
    get(&served.api, "/health", "Accept: */*");
    served.signal("TERM");
    served.wait();
    let mut rest = String::new();
    served.stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}

#[test]
fn a_folder_without_the_demo_project_has_no_credentials_and_prints_none() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::with_data(folder.path());
    for word in ["demo", "Read Key", "password"] {
        assert!(!served.greeting.contains(word), "{}", served.greeting);
    }
    let users = "/api/users?project=demo";
    assert_eq!(status(&served.api, users, DEMO_ACCOUNT), 401);
}

#[test]
fn the_demo_project_can_be_written_into_a_data_folder_and_remains_there() {
    let folder = tempfile::tempdir().unwrap();
    let data = ["--data", folder.path().to_str().unwrap()];
    let served = Served::start(&[&["--demo"], &data[..]].concat());
    assert!(served.greeting.contains("Demo "), "{}", served.greeting);
    let users = "/api/users?project=demo&limit=1";
    assert_eq!(status(&served.api, users, DEMO_ACCOUNT), 200);
    drop(served);
    let served = Served::with_data(folder.path());
    assert_eq!(status(&served.api, users, DEMO_ACCOUNT), 200);
}

#[test]
fn proxies_of_the_environment_are_not_used_for_local_addresses() {
    let closed = ClosedPort::reserve();
    let proxy = format!("http://{}", closed.address());
    let variables = [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "all_proxy",
    ]
    .map(|name| (name, proxy.as_str()));
    let served = Served::start_with_env(&[], &variables);
    let users = "/api/users?project=demo&limit=1";
    assert_eq!(status(&served.api, users, DEMO_ACCOUNT), 200);
    let operator = Operator::new();
    for line in ["stats --project acme", "users --project acme"] {
        let mut command = operator.command(&format!("{line} --url {}", operator.api()));
        succeeded(&output(command.envs(variables)));
    }
}
