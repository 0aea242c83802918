import { FreeText } from './free-text.ts'
import { type CalledFunction, callId, callItem, calledTool, type Unnumbered } from './output.ts'
import type { ToolNames } from './translate-tools.ts'

/** The events of a tool call. */
export class StreamedCall {
  readonly callId: string
  readonly place: number
  readonly #tools: ToolNames
  readonly #json: string[] = []
  readonly #freeText = new FreeText()
  /** The text of a custom tool that is sent. */
  readonly #sent: string[] = []
  #name = ''
  /** Undefined until the name of the tool arrives. */
  #call: Omit<CalledFunction, 'json'> | undefined

  /** @param place the index of the item in the output */
  constructor(tools: ToolNames, callId: string, place: number) {
    this.#tools = tools
    this.callId = callId
    this.place = place
  }

  *add(name: string, json: string): Generator<Unnumbered> {
    this.#name += name
    if (json !== '') this.#json.push(json)
    if (this.#call !== undefined) yield* this.#send(json)
    else if (this.#name !== '') {
      yield* this.#begin()
      yield* this.#send(this.#json.join(''))
    }
  }

  /** Sends the rest of the call. @returns the whole call */
  *end(): Generator<Unnumbered, CalledFunction> {
    const call = this.#call ?? (yield* this.#begin())
    const json = this.#json.join('')
    if (call.tool.kind === 'function')
      yield this.#event('response.function_call_arguments.done', {
        name: call.tool.name,
        arguments: json,
      })
    if (call.tool.kind === 'custom') {
      const input = this.#freeText.whole()
      const sent = this.#sent.join('')
      if (input.length > sent.length && input.startsWith(sent))
        yield this.#event('response.custom_tool_call_input.delta', {
          delta: input.slice(sent.length),
        })
      yield this.#event('response.custom_tool_call_input.done', { input })
    }
    return { ...call, json }
  }

  *#begin(): Generator<Unnumbered, Omit<CalledFunction, 'json'>> {
    const tool = calledTool(this.#tools, this.#name)
    this.#call = { id: callId(tool), callId: this.callId, tool }
    const item = callItem({ ...this.#call, json: '' }, 'in_progress')
    yield { type: 'response.output_item.added', output_index: this.place, item }
    return this.#call
  }

  *#send(json: string): Generator<Unnumbered> {
    const { kind } = this.#call?.tool ?? {}
    if (kind === 'custom') {
      const delta = this.#freeText.add(json)
      if (delta === '') return
      this.#sent.push(delta)
      yield this.#event('response.custom_tool_call_input.delta', { delta })
    } else if (kind === 'function' && json !== '')
      yield this.#event('response.function_call_arguments.delta', { delta: json })
  }

  #event(type: string, fields: Record<string, unknown>): Unnumbered {
    return { type, item_id: this.#call?.id, output_index: this.place, ...fields }
  }
}
