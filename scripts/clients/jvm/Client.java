// A client of what openapi-generator makes of the contract.
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.MessagesApi;
import org.openapitools.client.api.RegistrationApi;
import org.openapitools.client.model.AcknowledgeMessagesRequest;
import org.openapitools.client.model.AnnounceDeviceRequest;
import org.openapitools.client.model.ErrorBody;
import org.openapitools.client.model.SendMessageRequest;

public class Client {
  public static void main(String[] args) throws Exception {
    ObjectMapper mapper = ApiClient.createDefaultObjectMapper();
    JsonNode task = mapper.readTree(new File(args[0]));
    ApiClient client = new ApiClient();
    client.updateBaseUri(task.get("url").asText());
    List<Map<String, String>> sessions = new ArrayList<>();
    for (JsonNode announcement : task.get("announcements")) {
      var body = mapper.treeToValue(announcement, AnnounceDeviceRequest.class);
      var answer = new RegistrationApi(client).announceDevice(body);
      sessions.add(Map.of("Authorization", "Bearer " + answer.getAccessToken()));
    }
    var sender = sessions.get(0);
    var recipient = sessions.get(1);

    MessagesApi messages = new MessagesApi(client);
    var message = mapper.treeToValue(task.get("message"), SendMessageRequest.class);
    var sent = messages.sendMessage(message, sender);
    demand(sent.getStatus().getValue().equals("queued"), "the message was not queued");
    var polled = messages.pollMessages(null, 10L, recipient).getMessages();
    demand(polled.size() == 1, "the message did not arrive");
    demand(Arrays.equals(polled.get(0).getMlsCiphertext(), message.getMlsCiphertext()), "another message arrived");
    var ids = new AcknowledgeMessagesRequest().addMessageIdsItem(polled.get(0).getMessageId());
    demand(messages.acknowledgeMessages(ids, recipient).getAcknowledgedCount() == 1, "it was not acknowledged");
    demand(messages.pollMessages(null, null, recipient).getMessages().isEmpty(), "something is left in the queue");

    var unknown = refusal(messages, mapper, task.get("unknown"), sender, 404);
    demand(unknown.getError().equals("ADDRESS_NOT_FOUND"), "an unknown address was not refused");
    var over = refusal(messages, mapper, task.get("over"), sender, 429);
    demand(over.getError().equals("RATE_LIMIT_EXCEEDED") && over.getLimit() == 1, "the limit was not told");
    System.out.println("done");
  }

  private static ErrorBody refusal(
      MessagesApi messages, ObjectMapper mapper, JsonNode message, Map<String, String> sender, int status)
      throws Exception {
    try {
      messages.sendMessage(mapper.treeToValue(message, SendMessageRequest.class), sender);
    } catch (ApiException refused) {
      demand(refused.getCode() == status, refused.getMessage());
      return mapper.readValue(refused.getResponseBody(), ErrorBody.class);
    }
    throw new IllegalStateException("a message was taken that should have been refused");
  }

  private static void demand(boolean holds, String otherwise) {
    if (!holds) throw new IllegalStateException(otherwise);
  }
}
