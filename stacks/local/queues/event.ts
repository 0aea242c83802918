import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs'
import type { SQSEvent, SQSMessageAttribute, SQSRecord } from 'aws-lambda'

/** A batch of messages as an event source mapping hands it to a function. */
export function toQueueEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map((message) => toRecord(message, queueArn)) }
}

function toRecord(message: Message, eventSourceARN: string): SQSRecord {
  const { MessageId, ReceiptHandle, Body, MD5OfBody, Attributes, MessageAttributes } = message
  return {
    messageId: MessageId ?? '',
    receiptHandle: ReceiptHandle ?? '',
    body: Body ?? '',
    attributes: { ...Attributes } as unknown as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(
      Object.entries(MessageAttributes ?? {}).map(([name, value]) => [name, toAttribute(value)]),
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
 * The messages that a function asks to be delivered again.
 * @returns `all` for an answer that names a message which was not in the batch, or none at all: as AWS has it, such an
 * answer says nothing about which ones succeeded
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
