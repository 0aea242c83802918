import type { SQSEvent, SQSRecord } from 'aws-lambda'

/** Continues the message that waits. */
let goOn = () => {}

/** A queue function that does what the body of each message says and logs the event. */
export async function handler(event: SQSEvent): Promise<unknown> {
  process.stdout.write(`${JSON.stringify({ event })}\n`)
  const wants = (what: string) => (record: SQSRecord) => record.body.startsWith(what)
  if (event.Records.some(wants('throw'))) throw new Error('the whole batch')
  if (event.Records.some(wants('exit once')) && event.Records.every(isFirst)) process.exit(1)
  if (event.Records.some(wants('exit always'))) process.exit(1)
  if (event.Records.some(wants('hang once')) && event.Records.every(isFirst)) for (;;);
  if (event.Records.some(wants('wait'))) {
    await new Promise<void>((resolve) => (goOn = resolve))
    process.stdout.write(`${JSON.stringify({ ended: 'wait' })}\n`)
  }
  if (event.Records.some(wants('go on'))) goOn()
  if (event.Records.some(wants('nonsense')))
    return { batchItemFailures: [{ itemIdentifier: 'unknown' }] }
  return {
    batchItemFailures: event.Records.filter(wants('fail')).map(({ messageId }) => ({
      itemIdentifier: messageId,
    })),
  }
}

function isFirst(record: SQSRecord): boolean {
  return record.attributes.ApproximateReceiveCount === '1'
}
