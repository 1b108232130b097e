// A client of what openapi-generator makes of the contract for Rust.
use openapi::apis::configuration::Configuration;
use openapi::apis::messages_api::{acknowledge_messages, poll_messages, send_message, SendMessageError};
use openapi::apis::{registration_api::announce_device, Error};
use openapi::models::{AcknowledgeMessagesRequest, AnnounceDeviceRequest, ErrorBody, SendMessageRequest};

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
    for announcement in task.announcements {
        let base = Configuration { base_path: task.url.clone(), ..Configuration::default() };
        let announced = announce_device(&base, announcement).await.unwrap();
        sessions.push(Configuration { bearer_access_token: Some(announced.access_token), ..base });
    }
    let [sender, recipient] = sessions.as_slice() else { panic!("two devices") };

    let ciphertext = task.message.mls_ciphertext.clone();
    send_message(sender, task.message).await.unwrap();
    let polled = poll_messages(recipient, None, Some(10)).await.unwrap();
    assert_eq!(polled.messages.len(), 1);
    assert_eq!(polled.messages[0].mls_ciphertext, ciphertext);
    let ids = AcknowledgeMessagesRequest::new(vec![polled.messages[0].message_id.clone()]);
    assert_eq!(acknowledge_messages(recipient, ids).await.unwrap().acknowledged_count, 1);
    assert!(poll_messages(recipient, None, None).await.unwrap().messages.is_empty());

    let unknown = refusal(sender, task.unknown, 404).await;
    assert_eq!(unknown.error, "ADDRESS_NOT_FOUND");
    let over = refusal(sender, task.over, 429).await;
    assert_eq!((over.error.as_str(), over.limit), ("RATE_LIMIT_EXCEEDED", Some(1)));
    println!("done");
}

/// The generator lists a variant for each status; all of them hold the same body, so the first one matches.
async fn refusal(sender: &Configuration, message: SendMessageRequest, status: u16) -> ErrorBody {
    match send_message(sender, message).await {
        Err(Error::ResponseError(answer)) if answer.status == status => match answer.entity {
            Some(SendMessageError::Status400(body)) => body,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}
