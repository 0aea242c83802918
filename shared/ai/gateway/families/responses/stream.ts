import { idPrefixes } from '#shared/manifest/ids.ts'
import { newId } from '#shared/platform/ids.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { type Chunk, isObject } from '../../answers/form.ts'
import { OpaqueFields, sealOpaque } from '../../answers/opaque.ts'
import type { EventWriter, StreamEvent } from '../../completions/call.ts'
import { StreamedCall } from './call-events.ts'
import { callItem, functionOf, reasoningItem, thinkingIn, type Unnumbered } from './output.ts'
import type { ResponsesRequest } from './parse.ts'
import { StreamedText } from './text-events.ts'
import type { ToolNames } from './translate-tools.ts'
import { beginResponse, endOf, failureOf, writeResponsesUsage } from './write.ts'

/** Translates the chunks of a chat completion to the events of a response. */
export function translatedWriter(
  model: string,
  request: ResponsesRequest,
  tools: ToolNames,
): EventWriter {
  const response = beginResponse(request, model)
  const opaque = new OpaqueFields()
  const calls: StreamedCall[] = []
  let sequence = 0
  let open: StreamedText | undefined
  let thinkingField = ''
  let finish: string | null = null

  function numbered({ type, ...data }: Unnumbered, ends = false): StreamEvent {
    return { event: type, data: { type, sequence_number: sequence++, ...data }, ends }
  }

  function snapshot(fields: Record<string, unknown> = {}) {
    return { ...response, output: response.output.filter(Boolean), ...fields }
  }

  function* start(): Generator<Unnumbered> {
    if (sequence > 0) return
    yield { type: 'response.created', response: snapshot() }
    yield { type: 'response.in_progress', response: snapshot() }
  }

  /** Takes the place of the next item. Calls are open beside each other, so that items end in any order. */
  function nextPlace(): number {
    response.output.length++
    return response.output.length - 1
  }

  function* close(): Generator<Unnumbered> {
    if (open === undefined) return
    const isMessage = open.kind === 'message'
    const status = endOf(isMessage ? finish : null).status
    const item = yield* open.end(status, isMessage ? '' : sealOpaque({ field: thinkingField }))
    response.output[open.place] = item
    open = undefined
  }

  function* text(
    kind: 'message' | 'reasoning',
    add: (open: StreamedText) => Generator<Unnumbered>,
  ) {
    if (open?.kind !== kind) {
      yield* close()
      open = new StreamedText(kind, nextPlace())
      yield* open.begin()
    }
    yield* add(open)
  }

  function* toolCall(part: Record<string, unknown>): Generator<Unnumbered> {
    const { name, json } = functionOf(part)
    const at = Number(part.index)
    const known = calls[at]
    if (known === undefined) {
      yield* close()
      calls[at] = new StreamedCall(tools, String(part.id), nextPlace())
    }
    const call = known ?? calls[at]!
    opaque.takeCall({ ...part, id: call.callId })
    yield* call.add(name, json)
  }

  function* rest(): Generator<Unnumbered> {
    yield* close()
    const { status } = endOf(finish)
    for (const call of calls) response.output[call.place] = callItem(yield* call.end(), status)
    for (const call of calls)
      yield {
        type: 'response.output_item.done',
        output_index: call.place,
        item: response.output[call.place],
      }
    const sealed = opaque.sealed()
    if (sealed === undefined) return
    const output_index = nextPlace()
    const item = reasoningItem(newId(idPrefixes.reasoning), '', sealed)
    response.output[output_index] = item
    yield { type: 'response.output_item.added', output_index, item }
    yield { type: 'response.output_item.done', output_index, item }
  }

  function* write(chunk: Chunk): Generator<Unnumbered> {
    const choice = chunk.choices.find((each) => each.index === 0)
    if (choice === undefined) return
    yield* start()
    const { content, reasoning_content, reasoning, refusal, tool_calls, ...more } = choice.delta
    opaque.take(more)
    const [field, thinking] = thinkingIn({ reasoning_content, reasoning })
    if (thinking !== '') {
      thinkingField = field
      yield* text('reasoning', (item) => item.think(thinking))
    }
    const logprobs = isObject(choice['logprobs']) ? choice['logprobs'].content : undefined
    if (typeof content === 'string' && content !== '')
      yield* text('message', (item) => item.say('output_text', content, logprobs))
    if (typeof refusal === 'string' && refusal !== '')
      yield* text('message', (item) => item.say('refusal', refusal, undefined))
    for (const part of Array.isArray(tool_calls) ? tool_calls.filter(isObject) : [])
      yield* toolCall(part)
    finish = choice.finish_reason ?? finish
  }

  return {
    write: (chunk) => Array.from(write(chunk), (each) => numbered(each)),
    end({ usage }) {
      const events = [...start(), ...rest()].map((each) => numbered(each))
      const end = endOf(finish)
      const fields = { ...end, completed_at: epochSeconds(), usage: writeResponsesUsage(usage) }
      const last = { type: `response.${end.status}`, response: snapshot(fields) }
      return [...events, numbered(last, true)]
    },
    failed(error) {
      return numbered({ type: 'response.failed', response: snapshot(failureOf(error)) }, true)
    },
  }
}
