// A client of what ogen makes of the contract.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
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

// A device's token; the other two kinds belong to administrators and relays.
type session string

func (s session) DeviceToken(context.Context, relay.OperationName) (relay.DeviceToken, error) {
	return relay.DeviceToken{Token: string(s)}, nil
}

func (s session) AdminToken(context.Context, relay.OperationName) (relay.AdminToken, error) {
	return relay.AdminToken{}, fmt.Errorf("no administrator")
}

func (s session) FederationToken(context.Context, relay.OperationName) (relay.FederationToken, error) {
	return relay.FederationToken{}, fmt.Errorf("no relay")
}

func main() {
	var given task
	text, err := os.ReadFile(os.Args[1])
	check(err)
	check(json.Unmarshal(text, &given))
	ctx := context.Background()

	var sessions []*relay.Client
	for _, announcement := range given.Announcements {
		stranger, err := relay.NewClient(given.URL, session(""))
		check(err)
		answer, err := stranger.AnnounceDevice(ctx, &announcement)
		check(err)
		announced, known := answer.(*relay.AnnounceDeviceResponseHeaders)
		demand(known, "the announcement was refused")
		client, err := relay.NewClient(given.URL, session(announced.Response.AccessToken))
		check(err)
		sessions = append(sessions, client)
	}
	sender, recipient := sessions[0], sessions[1]

	sent, err := sender.SendMessage(ctx, &given.Message)
	check(err)
	taken, known := sent.(*relay.SendMessageResponseHeaders)
	demand(known && taken.Response.Status == relay.SendMessageResponseStatusQueued, "the message was not queued")
	messages := poll(ctx, recipient)
	demand(len(messages) == 1, "the message did not arrive")
	demand(bytes.Equal(messages[0].MlsCiphertext, given.Message.MlsCiphertext), "another message arrived")
	ids := relay.AcknowledgeMessagesRequest{MessageIds: []relay.MessageId{relay.MessageId(messages[0].MessageID)}}
	answer, err := recipient.AcknowledgeMessages(ctx, &ids)
	check(err)
	acknowledged, known := answer.(*relay.AcknowledgeMessagesResponse)
	demand(known && acknowledged.AcknowledgedCount == 1, "the message was not acknowledged")
	demand(len(poll(ctx, recipient)) == 0, "something is left in the queue")

	refused, err := sender.SendMessage(ctx, &given.Unknown)
	check(err)
	unknown, known := refused.(*relay.NotFoundWithLimitsHeaders)
	demand(known && unknown.Response.Error == "ADDRESS_NOT_FOUND", "an unknown address was not refused")
	refused, err = sender.SendMessage(ctx, &given.Over)
	check(err)
	over, known := refused.(*relay.TooManyRequestsWithLimitsHeaders)
	demand(known && over.Response.Error == "RATE_LIMIT_EXCEEDED" && over.Response.Limit.Value == 1, "the limit was not told")
	fmt.Println("done")
}

func poll(ctx context.Context, recipient *relay.Client) []relay.QueuedMessage {
	polled, err := recipient.PollMessages(ctx, relay.PollMessagesParams{Limit: relay.NewOptInt64(10)})
	check(err)
	page, known := polled.(*relay.PollMessagesResponse)
	demand(known, "the poll was refused")
	return page.Messages
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
