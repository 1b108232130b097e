// A client of what oapi-codegen makes of the contract.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"example.com/client/relay"
)

type task struct {
	URL           string                        `json:"url"`
	Announcements []relay.AnnounceDeviceRequest `json:"announcements"`
	Message       relay.SendMessageRequest      `json:"message"`
	Unknown       relay.SendMessageRequest      `json:"unknown"`
	Over          relay.SendMessageRequest      `json:"over"`
}

func main() {
	var given task
	text, err := os.ReadFile(os.Args[1])
	check(err)
	check(json.Unmarshal(text, &given))
	ctx := context.Background()
	client, err := relay.NewClientWithResponses(given.URL)
	check(err)

	var sessions []relay.RequestEditorFn
	for _, announcement := range given.Announcements {
		answer, err := client.AnnounceDeviceWithResponse(ctx, announcement)
		check(err)
		demand(answer.JSON200 != nil, string(answer.Body))
		token := answer.JSON200.AccessToken
		sessions = append(sessions, func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+token)
			return nil
		})
	}
	sender, recipient := sessions[0], sessions[1]

	sent, err := client.SendMessageWithResponse(ctx, given.Message, sender)
	check(err)
	demand(sent.JSON202 != nil && sent.JSON202.Status == "queued", string(sent.Body))
	limit := int64(10)
	polled, err := client.PollMessagesWithResponse(ctx, &relay.PollMessagesParams{Limit: &limit}, recipient)
	check(err)
	demand(polled.JSON200 != nil && len(polled.JSON200.Messages) == 1, string(polled.Body))
	got := polled.JSON200.Messages[0]
	demand(bytes.Equal(got.MlsCiphertext, given.Message.MlsCiphertext), "another message arrived")
	ids := relay.AcknowledgeMessagesRequest{MessageIds: []relay.MessageId{got.MessageId}}
	acknowledged, err := client.AcknowledgeMessagesWithResponse(ctx, ids, recipient)
	check(err)
	demand(acknowledged.JSON200 != nil && acknowledged.JSON200.AcknowledgedCount == 1, string(acknowledged.Body))
	rest, err := client.PollMessagesWithResponse(ctx, &relay.PollMessagesParams{}, recipient)
	check(err)
	demand(rest.JSON200 != nil && len(rest.JSON200.Messages) == 0, string(rest.Body))

	unknown, err := client.SendMessageWithResponse(ctx, given.Unknown, sender)
	check(err)
	demand(unknown.JSON404 != nil && unknown.JSON404.Error == "ADDRESS_NOT_FOUND", string(unknown.Body))
	over, err := client.SendMessageWithResponse(ctx, given.Over, sender)
	check(err)
	demand(over.JSON429 != nil && over.JSON429.Error == "RATE_LIMIT_EXCEEDED", string(over.Body))
	demand(over.JSON429.Limit != nil && *over.JSON429.Limit == 1, string(over.Body))
	fmt.Println("done")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func demand(holds bool, otherwise string) {
	if !holds {
		log.Fatal(otherwise)
	}
}
