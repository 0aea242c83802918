import { expect, it } from 'vitest'
import { operations } from './generated/operations.ts'
import { Platform } from './index.ts'
import { namesOf } from './resources/method-names.ts'
import { Resource } from './resources/resource.ts'

/** Calls every method of a resource and its nested resources with dummy arguments. */
async function callAll(resource: Resource): Promise<void> {
  const names = namesOf(resource).filter((name) => name !== 'request')
  for (const name of names) {
    const method: unknown = Reflect.get(resource, name)
    if (typeof method !== 'function') continue
    const answer: unknown = method.call(resource, 'x', 'x', 'x')
    const isPromise = answer instanceof Promise
    // A stream sends its request on the first read.
    const sent = isPromise
      ? answer
      : (answer as AsyncIterable<unknown>)[Symbol.asyncIterator]().next()
    await sent.catch(() => undefined)
  }
  for (const part of Object.values(resource)) if (part instanceof Resource) await callAll(part)
}

it('the client has a method for every operation', async () => {
  const reached = new Set<string>()
  const platform = new Platform({
    baseUrl: 'http://127.0.0.1',
    maxRetries: 0,
    fetch: () => Promise.resolve(Response.json({ error: 'not now' }, { status: 400 })),
    onRequest: ({ operation }) => reached.add(operation),
  })
  await callAll(platform)
  const all = Object.values(operations).map(({ operation }) => operation)
  expect(all.length).toBeGreaterThan(120)
  expect(all.filter((operation) => !reached.has(operation))).toEqual([])
  expect([...reached].filter((operation) => !all.some((one) => one === operation))).toEqual([])
})
