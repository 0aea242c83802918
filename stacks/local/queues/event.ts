import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs'
import type { SQSEvent, SQSMessageAttribute, SQSRecord } from 'aws-lambda'
import { traceAttribute, traceOf } from './lineage.ts'

/** Returns a batch of messages in the form that an event source mapping passes to a function. */
export function toQueueEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map((message) => toRecord(message, queueArn)) }
}

function toRecord(message: Message, eventSourceARN: string): SQSRecord {
  const { MessageId, ReceiptHandle, Body, MD5OfBody, Attributes } = message
  const { [traceAttribute]: _, ...MessageAttributes } = message.MessageAttributes ?? {}
  const trace = traceOf(message)
  return {
    messageId: MessageId ?? '',
    receiptHandle: ReceiptHandle ?? '',
    body: Body ?? '',
    attributes: {
      ...Attributes,
      ...(trace !== undefined && { [traceAttribute]: trace }),
    } as unknown as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, value]) => [name, toAttribute(value)]),
    ),
    md5OfBody: MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: 'us-east-1',
  }
}

function toAttribute(value: MessageAttributeValue): SQSMessageAttribute {
  return {
    ...(value.StringValue !== undefined && { stringValue: value.StringValue }),
    ...(value.BinaryValue && { binaryValue: Buffer.from(value.BinaryValue).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
    dataType: (value.DataType ?? 'String') as SQSMessageAttribute['dataType'],
  }
}

/**
 * Returns the ids of the messages that a function reports as failed.
 * @returns `all` if the response is invalid or names a message that was not in the batch. AWS then also retries the batch
 */
export function failedMessages(
  result: unknown,
  ids: ReadonlySet<string>,
): ReadonlySet<string> | 'all' {
  const failures = (result as { batchItemFailures?: unknown } | null)?.batchItemFailures ?? []
  if (!Array.isArray(failures)) return 'all'
  const failed = new Set<string>()
  for (const failure of failures as ({ itemIdentifier?: unknown } | null)[]) {
    const id = failure?.itemIdentifier
    if (typeof id !== 'string' || !ids.has(id)) return 'all'
    failed.add(id)
  }
  return failed
}
