import type { EventWriter, StreamEvent } from '../../completions/call.ts'
import { event, stopOf, writeMessagesUsage } from './write.ts'

/**
 * Passes on the events of a provider that serves Messages.
 * @param model the id that replaces the provider's, for an answer of a fallback
 */
export function nativeWriter(model: string | undefined): EventWriter {
  let openIndex: unknown
  let isDelta = false
  let isStopped = false
  let isTruncated = false
  return {
    write(chunk, { chunk: whole, event: sent }) {
      if (sent === undefined) return []
      const { event: name, data, text } = sent
      if (chunk !== whole) {
        isTruncated = true
        const piece = chunk.choices[0]?.delta.content
        return typeof piece === 'string' && data.type === 'content_block_delta'
          ? [
              event('content_block_delta', {
                index: openIndex,
                delta: { type: 'text_delta', text: piece },
              }),
            ]
          : []
      }
      if (data.type === 'content_block_start') openIndex = data.index
      if (data.type === 'content_block_stop') openIndex = undefined
      isStopped ||= data.type === 'message_stop'
      const ends = chunk.choices.some(({ finish_reason }) => finish_reason !== null)
      isDelta ||= ends
      const type = name ?? String(data.type)
      if (data.type === 'message_start' && model !== undefined) {
        const message = { ...Object(data.message), model }
        return [{ event: type, data: { ...data, message }, ends: false }]
      }
      return [{ event: type, data, text, ends: ends || isStopped }]
    },
    end({ usage }) {
      const events: StreamEvent[] = []
      if (isTruncated && openIndex !== undefined)
        events.push(event('content_block_stop', { index: openIndex }))
      if (!isDelta)
        events.push(
          event('message_delta', {
            delta: stopOf(isTruncated ? 'length' : 'stop', undefined),
            usage: writeMessagesUsage(usage),
          }),
        )
      if (!isStopped) events.push(event('message_stop', {}))
      for (const each of events) each.ends = true
      return events
    },
  }
}
