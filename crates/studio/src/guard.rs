//! Who may talk to the studio: this machine's own page, and no other page of the browser.
//!
//! A page from elsewhere can make the browser send requests to a local port. It cannot hide its
//! origin, and with a name of its own that points here (DNS rebinding) it cannot hide that name
//! in the host header, so both are checked.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;

/// The names under which the studio may be asked for.
#[derive(Clone)]
pub(crate) struct Hosts(Arc<Vec<String>>);

impl Hosts {
    /// The names of an address; a wildcard address stands for any that the machine has.
    pub(crate) fn new(address: SocketAddr) -> Self {
        let port = address.port();
        let mut names = vec![address.to_string()];
        if address.ip().is_loopback() {
            names.extend(["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")));
        }
        if address.ip().is_unspecified() {
            names.clear();
        }
        Hosts(Arc::new(names))
    }

    fn allow(&self, headers: &HeaderMap) -> bool {
        let host = text(headers, &HOST);
        let known = |name: &str| self.0.is_empty() || self.0.iter().any(|host| host == name);
        let same_origin = match text(headers, &ORIGIN) {
            None => true,
            Some(origin) => origin.strip_prefix("http://") == host,
        };
        host.is_some_and(known) && same_origin
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Refuses requests from other pages, and tells the browser to keep ours to itself.
pub(crate) async fn check(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    if !hosts.allow(request.headers()) {
        let answer = json!({ "error": "this studio answers its own page only" });
        return (StatusCode::FORBIDDEN, Json(answer)).into_response();
    }
    let mut response = next.run(request).await;
    for (name, value) in [
        (
            "content-security-policy",
            "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
        ),
        ("cross-origin-resource-policy", "same-origin"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
    ] {
        response.headers_mut().insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        Hosts::new("127.0.0.1:8642".parse().unwrap()).allow(&headers)
    }

    #[test]
    fn only_the_own_page_under_a_local_name_is_answered() {
        assert!(allowed("127.0.0.1:8642", None));
        assert!(allowed("localhost:8642", Some("http://localhost:8642")));
        assert!(!allowed("localhost:8642", Some("http://evil.example")));
        assert!(!allowed("localhost:8642", Some("null")));
        assert!(!allowed(
            "evil.example:8642",
            Some("http://evil.example:8642")
        ));
        assert!(!allowed("127.0.0.1:1", None));
    }
}
