import { describe, expect, it } from 'vitest'
import { breakingChanges } from './breaking.ts'
import type { ApiDocument, Operation, Schema } from './document.ts'

const thing: Schema = {
  type: 'object',
  properties: { id: { type: 'string' }, state: { type: 'string', enum: ['on', 'off'] } },
  required: ['id', 'state'],
}
const input: Schema = {
  type: 'object',
  properties: { name: { type: 'string' }, size: { type: ['integer', 'null'] } },
  required: ['name'],
}

function documentOf(change: {
  operation?: Partial<Operation>
  thing?: Schema
  input?: Schema
  delta?: Schema
}): ApiDocument {
  const operation: Operation = {
    operationId: 'things.create',
    parameters: [{ name: 'limit', in: 'query', schema: { type: 'string' } }],
    requestBody: { content: { 'application/json': { schema: change.input ?? input } } },
    responses: {
      200: {
        content: {
          'application/json': {
            schema: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
          },
          'text/event-stream': {
            schema: { type: 'string' },
            'x-events': { delta: { schema: change.delta ?? { type: 'string' } } },
          },
        },
      },
      404: { content: {} },
    },
    ...change.operation,
  }
  return {
    paths: { '/things': { post: operation } },
    components: { schemas: { Thing: change.thing ?? thing } },
  }
}

const before = documentOf({})
const withFields = (
  schema: Schema,
  properties: Record<string, Schema>,
  required?: string[],
): Schema => ({
  ...schema,
  properties: { ...schema.properties, ...properties },
  required: required ?? schema.required ?? [],
})

describe('a change of an API document', () => {
  it.each<[string, ApiDocument, string]>([
    ['a removed operation', { ...before, paths: {} }, 'POST /things: the operation is gone'],
    [
      'a renamed operation',
      documentOf({ operation: { operationId: 'things.make' } }),
      'POST /things: things.create is now called things.make',
    ],
    [
      'a removed parameter',
      documentOf({ operation: { parameters: [] } }),
      'POST /things: the parameter limit is gone',
    ],
    [
      'a removed response field',
      documentOf({ thing: { type: 'object', properties: { id: { type: 'string' } } } }),
      'Thing: the field state is gone',
    ],
    [
      'a response field that becomes optional',
      documentOf({ thing: { ...thing, required: ['id'] } }),
      'Thing: the field state may now be absent',
    ],
    [
      'a response field that becomes nullable',
      documentOf({ thing: withFields(thing, { id: { type: ['string', 'null'] } }) }),
      'Thing.id: it may now be null',
    ],
    [
      'a removed value',
      documentOf({ thing: withFields(thing, { state: { type: 'string', enum: ['on'] } }) }),
      'Thing.state: the value "off" is gone',
    ],
    [
      'another event type',
      documentOf({ delta: { type: 'number' } }),
      'POST /things answer event delta: it may now be number or integer',
    ],
    [
      'a new required body field',
      documentOf({ input: withFields(input, { place: { type: 'string' } }, ['name', 'place']) }),
      'POST /things body: the field place is now required',
    ],
    [
      'a body field that is no longer nullable',
      documentOf({ input: withFields(input, { size: { type: 'integer' } }) }),
      'POST /things body.size: it no longer takes null',
    ],
    [
      'another status',
      documentOf({ operation: { responses: { 201: { content: {} } } } }),
      'POST /things: it no longer answers 200',
    ],
  ])('breaks clients: %s', (_what, after, said) => {
    expect(breakingChanges(before, after)).toContain(said)
  })

  it.each<[string, ApiDocument]>([
    ['nothing', documentOf({})],
    [
      'an additional response field',
      documentOf({ thing: withFields(thing, { at: { type: 'string' } }) }),
    ],
    ['an additional optional body field', documentOf({ input: withFields(input, { at: {} }) })],
    [
      'a body field that becomes nullable',
      documentOf({ input: withFields(input, { name: { type: ['string', 'null'] } }) }),
    ],
    ['a narrower response', documentOf({ thing: withFields(thing, { id: { type: 'string' } }) })],
    [
      'an additional value',
      documentOf({
        thing: withFields(thing, { state: { type: 'string', enum: ['on', 'off', 'idle'] } }),
      }),
    ],
    ['an additional operation', { ...before, paths: { ...before.paths, '/others': {} } }],
    [
      'a removed body',
      documentOf({
        operation: {
          parameters: [
            { name: 'limit', in: 'query', schema: { type: 'string' } },
            { name: 'offset', in: 'query', schema: { type: 'string' } },
          ],
        },
      }),
    ],
  ])('keeps clients working: %s', (_what, after) => {
    expect(breakingChanges(before, after)).toEqual([])
  })
})
