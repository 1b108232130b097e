// A client of what progenitor makes of the contract.
use relay_client::types::{AcknowledgeMessagesRequest, AnnounceDeviceRequest, ErrorBody, MessageId, SendMessageRequest};
use relay_client::{Client, Error};
use reqwest::header::{AUTHORIZATION, HeaderMap};

#[derive(serde::Deserialize)]
struct Task {
    url: String,
    announcements: Vec<AnnounceDeviceRequest>,
    message: SendMessageRequest,
    unknown: SendMessageRequest,
    over: SendMessageRequest,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let file = std::env::args().nth(1).expect("the task");
    let task: Task = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut sessions = Vec::new();
    for announcement in &task.announcements {
        let announced = Client::new(&task.url).announce_device(announcement).await.unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, format!("Bearer {}", *announced.access_token).parse().unwrap());
        let client = reqwest::Client::builder().default_headers(headers).build().unwrap();
        sessions.push(Client::new_with_client(&task.url, client));
    }
    let [sender, recipient] = sessions.as_slice() else { panic!("two devices") };

    let sent = sender.send_message(&task.message).await.unwrap();
    assert_eq!(sent.status.to_string(), "queued");
    let polled = recipient.poll_messages(std::num::NonZeroU64::new(10), None).await.unwrap().into_inner();
    assert_eq!(polled.messages.len(), 1);
    assert_eq!(*polled.messages[0].mls_ciphertext, *task.message.mls_ciphertext);
    let message_ids = vec![MessageId::try_from(polled.messages[0].message_id.to_string()).unwrap()];
    let ids = AcknowledgeMessagesRequest { message_ids };
    assert_eq!(recipient.acknowledge_messages(&ids).await.unwrap().acknowledged_count, 1);
    assert!(recipient.poll_messages(None, None).await.unwrap().messages.is_empty());

    let unknown = refusal(sender, &task.unknown, 404).await;
    assert_eq!(unknown.error.to_string(), "ADDRESS_NOT_FOUND");
    let over = refusal(sender, &task.over, 429).await;
    assert_eq!((over.error.to_string().as_str(), over.limit.as_deref()), ("RATE_LIMIT_EXCEEDED", Some(&1)));
    println!("done");
}

async fn refusal(sender: &Client, message: &SendMessageRequest, status: u16) -> ErrorBody {
    match sender.send_message(message).await {
        Err(Error::ErrorResponse(answer)) if answer.status() == status => answer.into_inner(),
        other => panic!("{other:?}"),
    }
}
