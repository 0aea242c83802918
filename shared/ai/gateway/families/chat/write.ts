import { idPrefixes } from '#shared/manifest/ids.ts'
import { newId } from '#shared/platform/ids.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import type { Completion } from '../../answers/form.ts'
import type { EventWriter, Served } from '../../completions/call.ts'
import { usageFor } from '../../usage.ts'

/** OpenAI's form. Other fields of a provider are left out. */
export interface ChatAnswer extends Record<string, unknown> {
  id: string
  /** The model that served, by its routing id. */
  model: string
  choices: Completion['choices']
}

/** Returns a completion in OpenAI's form, with an id and a time if the provider sent none. */
export function writeCompletion(completion: Completion, { model, usage }: Served): ChatAnswer {
  return {
    ...completion,
    id: idOf(completion) ?? newId(idPrefixes.completion),
    created: createdOf(completion) ?? epochSeconds(),
    object: 'chat.completion',
    model,
    usage: usageFor(completion.usage, usage),
  }
}

/** @param includeUsage whether the last chunk has the usage */
export function chunkWriter(model: string, includeUsage: boolean): EventWriter {
  const object = 'chat.completion.chunk'
  // All chunks get the same id and time, as in OpenAI's API. Some providers send new ones with each chunk, or none.
  let id: string | undefined
  let created: number | undefined
  return {
    write({ usage: _, ...chunk }) {
      if (chunk.choices.length === 0) return []
      id ??= idOf(chunk) ?? newId(idPrefixes.completion)
      created ??= createdOf(chunk) ?? epochSeconds()
      const ends = chunk.choices.some(({ finish_reason }) => typeof finish_reason === 'string')
      return [{ data: { ...chunk, id, created, object, model }, ends }]
    },
    end({ reported, usage }) {
      if (!includeUsage) return []
      id ??= newId(idPrefixes.completion)
      created ??= epochSeconds()
      const data = { id, created, object, model, choices: [], usage: usageFor(reported, usage) }
      return [{ data, ends: true }]
    },
    closing: 'data: [DONE]\n\n',
  }
}

/** Some providers send an empty text, or a number. */
function idOf({ id }: Record<string, unknown>): string | undefined {
  if (typeof id === 'number') return String(id)
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** In epoch seconds; Azure's chunks of content filters have 0. */
function createdOf({ created }: Record<string, unknown>): number | undefined {
  return typeof created === 'number' && created > 0 ? Math.floor(created) : undefined
}
