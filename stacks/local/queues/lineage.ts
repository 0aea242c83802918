import { randomBytes } from 'node:crypto'
import type { Message } from '@aws-sdk/client-sqs'

/** The attribute of a message that contains the trace header of the request that sent it. SQS sets it by itself. */
export const traceAttribute = 'AWSTraceHeader'

/** The number of invocations of each function in a chain of messages, by its name. */
export type Lineage = Readonly<Record<string, number>>

/** Returns the trace header of the request that sent a message. */
export function traceOf({ Attributes, MessageAttributes }: Message): string | undefined {
  return Attributes?.[traceAttribute] ?? MessageAttributes?.[traceAttribute]?.StringValue
}

/**
 * Returns the lineage of an invocation with these messages: the highest count of each function in their chains, and one more
 * for the invoked function. AWS does not document the lineage of a batch from several chains.
 */
export function lineageOf(messages: readonly Message[], invoked: string): Lineage {
  const counts: Record<string, number> = {}
  for (const [name, count] of messages.flatMap((message) => entriesOf(traceOf(message))))
    counts[name] = Math.max(counts[name] ?? 0, count)
  return { ...counts, [invoked]: (counts[invoked] ?? 0) + 1 }
}

/** Returns the trace header of an invocation. The AWS SDK sends it with each request that the function makes. */
export function traceHeader(lineage: Lineage): string {
  const seconds = Math.floor(Date.now() / 1000).toString(16)
  const root = `Root=1-${seconds}-${randomBytes(12).toString('hex')}`
  const counts = Object.entries(lineage).map(([name, count]) => `${name}:${count}`)
  return `${root};Parent=${randomBytes(8).toString('hex')};Sampled=0;Lineage=${counts.join('|')}`
}

function entriesOf(header = ''): (readonly [name: string, count: number])[] {
  const lineage = header.split(';').find((part) => part.startsWith('Lineage='))
  return [...(lineage ?? '').matchAll(/([\w-]+):(\d+)/g)].map(
    ([, name = '', count]) => [name, Number(count)] as const,
  )
}
