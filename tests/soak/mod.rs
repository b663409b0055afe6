//! Responses are right and whole, or refused, whatever faults befall the store. The functions' programs and the
//! handlers run over a store whose data is known and whose reads suffer faults, alone and in mixtures, which a seed
//! selects: through DynamoDB's protocol, and through the port of a data folder. The test injects a few hundred;
//! `just soak` as many as it is told to.

mod callers;
mod faults;
mod http_face;
mod injector;
mod requests;
mod store;
mod verdict;

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ::store::Store;
use folder::FolderStore;
use futures_util::future::join_all;
use service::App;
use test_support::Random;

use callers::{Caller, Kind, Silence};
use faults::Face;
use injector::{Budget, Injected, Injector};
use requests::Healthy;
use store::{FaultyStore, Of};
use verdict::{Case, Verdict};

/// What runs the cases of each lane; lanes run at the same time.
const LANES: [Kind; 5] = [
    Kind::Statistics,
    Kind::Users,
    Kind::Handlers,
    Kind::BufferedUsers,
    Kind::Folder,
];
/// How many cases a process runs before it is replaced, since the SDK allows a process fewer and fewer
/// retries.
const CASES_OF_PROCESS: u64 = 25;
/// The part of its time that a function keeps for the response.
const TO_RESPOND: Duration = Duration::from_millis(500);
/// How much later than its deadline a response may arrive, because the machine is busy.
const MARGIN: Duration = Duration::from_secs(10);

/// How many faults befell what, and how many cases ended how.
#[derive(Default)]
struct Figures {
    faults: usize,
    of_folder: usize,
    of_credentials: usize,
    verdicts: BTreeMap<Verdict, usize>,
}

impl Figures {
    fn count(&mut self, kind: Kind, verdict: Verdict, injected: &[Injected]) {
        self.faults += injected.len();
        if kind == Kind::Folder {
            self.of_folder += injected.len();
        }
        let is_of_credential = |fault: &&Injected| fault.read.of == Of::Credential;
        self.of_credentials += injected.iter().filter(is_of_credential).count();
        // A right response shows nothing if nothing befell the request.
        if verdict != Verdict::Answered || !injected.is_empty() {
            *self.verdicts.entry(verdict).or_default() += 1;
        }
    }

    fn of(&self, verdict: Verdict) -> usize {
        self.verdicts.get(&verdict).copied().unwrap_or_default()
    }

    fn is_flawless(&self) -> bool {
        !self.verdicts.keys().any(|verdict| verdict.is_flaw())
    }

    /// Returns the least of the figures without which nothing is shown.
    fn least(&self) -> usize {
        let shown = [Verdict::Answered, Verdict::Refused].map(|it| self.of(it));
        shown.into_iter().min().unwrap().min(self.of_credentials)
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Verdict::{Answered, Cut, Ended, Hung, Refused, Wrong};
        let [wrong, cut, hung, ended] = [Wrong, Cut, Hung, Ended].map(|it| self.of(it));
        let [answered, refused] = [Answered, Refused].map(|it| self.of(it));
        let (faults, folder, credentials) = (self.faults, self.of_folder, self.of_credentials);
        write!(
            f,
            "{faults} faults: {wrong} wrong, {cut} cut, {hung} hung, {ended} ended \
             ({folder} of a data folder, {credentials} of credentials; {answered} answered, {refused} refused)"
        )
    }
}

/// Injects this many faults, over this many lanes at a time. The lanes over a data folder, which are much faster, get the share of
/// one kind.
async fn inject(faults: usize, seed: u64, lanes: u64) -> Figures {
    let of_folder = faults / LANES.len();
    let budgets = [
        Budget::of(Face::Http, faults - of_folder),
        Budget::of(Face::Port, of_folder),
    ];
    let folder = store::folder().await;
    let faultless = FaultyStore::new(folder.clone(), Injector::new(budgets[0].clone()));
    let app = App::new(Store::new(Arc::new(faultless)));
    let healthy = Arc::new(Healthy::of(&app).await);
    let figures = Arc::new(Mutex::new(Figures::default()));
    let running = (0..lanes).map(|number| {
        let kind = LANES[usize::try_from(number).unwrap() % LANES.len()];
        let budget = &budgets[usize::from(kind.face() == Face::Port)];
        let lane = Lane {
            kind,
            number,
            lanes,
            budget: budget.clone(),
            healthy: healthy.clone(),
            figures: figures.clone(),
        };
        tokio::spawn(lane.run(seed, folder.clone()))
    });
    for lane in join_all(running).await {
        lane.unwrap();
    }
    std::mem::take(&mut figures.lock().unwrap())
}

/// One of many that run cases at the same time.
struct Lane {
    kind: Kind,
    number: u64,
    lanes: u64,
    budget: Arc<Budget>,
    healthy: Arc<Healthy>,
    figures: Arc<Mutex<Figures>>,
}

impl Lane {
    /// Runs every case whose number is that of the lane, modulo the lanes.
    async fn run(self, seed: u64, folder: FolderStore) {
        let injector = Injector::new(self.budget.clone());
        let store = FaultyStore::new(folder, injector);
        let url = http_face::serve(store.clone()).await;
        let mut caller: Option<Caller> = None;
        for case in 0.. {
            if self.budget.is_spent() {
                break;
            }
            let number = case * self.lanes + self.number;
            let random = Random::of_case(seed, number);
            if case % CASES_OF_PROCESS == 0 {
                caller = None;
            }
            let caller_of_case = match caller.take() {
                Some(caller) => caller,
                None => self.start(&store, &url).await,
            };
            let (verdict, injected, kept) = self.run_case(caller_of_case, &store, random).await;
            caller = kept;
            if verdict.is_flaw() {
                eprintln!("seed {seed}, case {number}, {:?}: {verdict:?}", self.kind);
            }
            let mut figures = self.figures.lock().unwrap();
            figures.count(self.kind, verdict, &injected);
        }
    }

    /// Starts what runs requests. A request that nothing befalls ends its initialization, which is no part of the time of
    /// an invocation.
    async fn start(&self, store: &FaultyStore, url: &str) -> Caller {
        let mut caller = self.kind.start(store, url);
        let request = self.kind.choose_request(&mut Random::of_case(0, 0));
        let time = Duration::from_secs(20);
        let first = caller.call(request, 0, time, MARGIN).await;
        assert!(first.is_ok_and(|answer| answer.reply.status == 200));
        caller
    }

    /// Runs a case; returns its faults, and the caller unless it is of no more use.
    async fn run_case(
        &self,
        mut caller: Caller,
        store: &FaultyStore,
        mut random: Random,
    ) -> (Verdict, Vec<Injected>, Option<Caller>) {
        let request = self.kind.choose_request(&mut random);
        let secret = random.below(u64::MAX);
        let time = Duration::from_millis(random.choose(&[600, 1200, 2500]));
        store.injector.begin(random);
        let started = Instant::now();
        let outcome = caller
            .call(request, secret, time + TO_RESPOND, MARGIN)
            .await;
        let took = started.elapsed();
        let injected = store.injector.end();
        let case = Case {
            request,
            streams: request.is_list() && self.kind != Kind::BufferedUsers,
            injected: &injected,
            time,
            took,
        };
        let verdict = case.judge(&outcome, &self.healthy);
        if verdict.is_flaw() {
            let response = match &outcome {
                Ok(answer) => format!("{answer:?}"),
                Err(Silence::Hung) => "no response in time".to_owned(),
                Err(Silence::Ended(written)) => format!("no response: {written}"),
            };
            eprintln!("{request:?} with {time:?}, after {took:?}: {injected:?} {response}");
        }
        (verdict, injected, outcome.is_ok().then_some(caller))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_are_right_and_whole_or_refused_whatever_befalls_the_store() {
    let figures = inject(375, 1, 15).await;
    assert!(figures.is_flawless(), "{figures}");
    // Each kind of fault is injected alone once, even beyond the number.
    assert!(figures.faults >= 375 && figures.of_folder >= 75);
    assert!(figures.least() > 5, "{figures}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes; `just soak` runs it"]
async fn soak() {
    let setting = |name, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (faults, seed) = (setting("SOAK_FAULTS", 10_000), setting("SOAK_SEED", 1));
    let faults = usize::try_from(faults).unwrap();
    let figures = inject(faults, seed, 32).await;
    // On a line of its own, which the name of the test begins.
    writeln!(std::io::stdout(), "\n{figures}").unwrap();
    assert!(figures.is_flawless());
    assert!(figures.faults >= faults && figures.least() > 0);
}
