//! TLS in front of a store, which costs little beside the program that is measured.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::Failure;

/// Prints an https address whose connections are those of this http address, and serves until the process is
/// killed. A handshake begins after a pause, in which its packets would cross the network.
pub(crate) async fn serve(
    address: &str,
    certificate: &Path,
    key: &Path,
    pause: Duration,
) -> Result<(), Failure> {
    let store = address.trim_start_matches("http://").to_owned();
    let certificates = vec![CertificateDer::from_pem_file(certificate)?];
    let key = PrivateKeyDer::from_pem_file(key)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(certificates, key)?;
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("https://{}", listener.local_addr()?);
    loop {
        let (client, _) = listener.accept().await?;
        client.set_nodelay(true)?;
        let (acceptor, store) = (acceptor.clone(), store.clone());
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            let mut client = acceptor.accept(client).await?;
            let mut store = TcpStream::connect(store).await?;
            store.set_nodelay(true)?;
            copy_bidirectional(&mut client, &mut store).await
        });
    }
}
