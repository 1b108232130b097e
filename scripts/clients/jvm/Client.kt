// A client of what openapi-generator makes of the contract for Kotlin.
import com.fasterxml.jackson.module.kotlin.readValue
import java.io.File
import org.openapitools.client.apis.MessagesApi
import org.openapitools.client.apis.RegistrationApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.models.AcknowledgeMessagesRequest
import org.openapitools.client.models.AnnounceDeviceRequest
import org.openapitools.client.models.ErrorBody
import org.openapitools.client.models.SendMessageRequest
import org.openapitools.client.models.SendMessageResponse

class Task(
    val url: String,
    val announcements: List<AnnounceDeviceRequest>,
    val message: SendMessageRequest,
    val unknown: SendMessageRequest,
    val over: SendMessageRequest,
)

fun main(args: Array<String>) {
    val mapper = Serializer.jacksonObjectMapper
    val task: Task = mapper.readValue(File(args[0]))
    val (sender, recipient) = task.announcements.map { RegistrationApi(task.url).announceDevice(it).accessToken }
    val messages = MessagesApi(task.url)

    ApiClient.accessToken = sender
    check(messages.sendMessage(task.message).status == SendMessageResponse.Status.queued)
    ApiClient.accessToken = recipient
    val got = messages.pollMessages(limit = 10).messages.single()
    check(got.mlsCiphertext.contentEquals(task.message.mlsCiphertext))
    check(messages.acknowledgeMessages(AcknowledgeMessagesRequest(listOf(got.messageId))).acknowledgedCount == 1L)
    check(messages.pollMessages().messages.isEmpty())

    ApiClient.accessToken = sender
    fun refusal(message: SendMessageRequest, status: Int): ErrorBody {
        val refused = runCatching { messages.sendMessage(message) }.exceptionOrNull() as ClientException
        check(refused.statusCode == status)
        return mapper.readValue((refused.response as ClientError<*>).body.toString())
    }
    check(refusal(task.unknown, 404).error == "ADDRESS_NOT_FOUND")
    val over = refusal(task.over, 429)
    check(over.error == "RATE_LIMIT_EXCEEDED" && over.limit == 1L)
    println("done")
}
