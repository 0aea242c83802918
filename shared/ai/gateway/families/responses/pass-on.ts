import { isObject } from '../../answers/form.ts'
import type { EventWriter, StreamEvent } from '../../completions/call.ts'
import type { Unnumbered } from './output.ts'
import { failureOf, writeResponsesUsage } from './write.ts'

/**
 * Passes on the events of a provider that serves Responses.
 * @param model the id that replaces the provider's, for an answer of a fallback
 */
export function nativeWriter(model: string | undefined): EventWriter {
  /** The response as the provider began it. */
  let response: Record<string, unknown> = {}
  const output: unknown[] = []
  /** The open part of a message, for an answer that the platform ends. */
  let open: Record<string, unknown> | undefined
  let text = ''
  let sequence = 0
  let isEnded = false

  function numbered({ type, ...data }: Unnumbered, ends: boolean): StreamEvent {
    return { event: type, data: { type, sequence_number: sequence++, ...data }, ends }
  }

  function observe(data: Record<string, unknown>): void {
    if (typeof data.sequence_number === 'number') sequence = data.sequence_number + 1
    if (isObject(data.response)) ({ response } = data as { response: Record<string, unknown> })
    if (data.type === 'response.output_item.done') output[Number(data.output_index)] = data.item
    if (data.type === 'response.content_part.added') text = ''
    if (data.type === 'response.output_text.delta') {
      const { item_id, output_index, content_index } = data
      open = { item_id, output_index, content_index }
      text += String(data.delta)
    }
    if (data.type === 'response.content_part.done') open = undefined
  }

  function snapshot(fields: Record<string, unknown>) {
    const named = model === undefined ? response : { ...response, model }
    return { ...named, output: output.filter(Boolean), ...fields }
  }

  /** Ends the open text of an answer that is truncated. */
  function* closing(): Generator<Unnumbered> {
    if (open === undefined) return
    const { item_id: id, output_index } = open
    const part = { type: 'output_text', text, annotations: [], logprobs: [] }
    const item = { id, type: 'message', status: 'incomplete', role: 'assistant', content: [part] }
    output[Number(output_index)] = item
    yield { type: 'response.output_text.done', ...open, text, logprobs: [] }
    yield { type: 'response.content_part.done', ...open, part }
    yield { type: 'response.output_item.done', output_index, item }
  }

  return {
    write(chunk, { chunk: whole, event: sent }) {
      if (sent === undefined) return []
      const { event, data, text: json } = sent
      if (chunk !== whole) {
        const delta = chunk.choices[0]?.delta.content
        if (typeof delta !== 'string' || data.type !== 'response.output_text.delta') return []
        observe({ ...data, delta })
        return [{ event: String(data.type), data: { ...data, delta }, ends: false }]
      }
      observe(data)
      const ends = chunk.choices.some(({ finish_reason }) => finish_reason !== null)
      isEnded ||= ends
      const name = event ?? String(data.type)
      if (model === undefined || !isObject(data.response))
        return [{ event: name, data, text: json, ends }]
      return [{ event: name, data: { ...data, response: { ...data.response, model } }, ends }]
    },
    end({ usage }) {
      if (isEnded) return []
      const fields = {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        usage: writeResponsesUsage(usage),
      }
      const events = Array.from(closing(), (each) => numbered(each, false))
      const last = { type: 'response.incomplete', response: snapshot(fields) }
      return [...events, numbered(last, true)]
    },
    failed(error) {
      return numbered({ type: 'response.failed', response: snapshot(failureOf(error)) }, true)
    },
  }
}
