import { expect, it } from 'vitest'
import { eventsOf, hello, useGateway } from '#tests/support/ai/gateway.ts'
import { readStream, textOf } from '#tests/support/ai/streams.ts'
import { says, sendJson, usage } from '#tests/support/ai/upstream.ts'

const on = useGateway()

const stream = (model: string) =>
  on.gateway.chat(
    { ...hello, model, stream: true, stream_options: { include_usage: true } },
    { headers: { 'x-user-id': `usr_${model}`, 'x-user-plan': 'network' } },
  )

it.each([
  [400, 'Unrecognized request argument supplied: stream_options'],
  [422, 'Extra inputs are not permitted: body.stream_options.include_usage'],
])(
  'a model that refuses the option for the usage streams without it: %i',
  async (status, message) => {
    const model = `refuses-${status}`
    on.upstream.list([{ id: model }])
    on.upstream.serve(model, (response, asked) =>
      asked.body.stream_options === undefined
        ? says('Hi', usage(9, 2))(response, asked)
        : sendJson(response, status, { error: { message } }),
    )
    for (let calls = 0; calls < 2; calls++) {
      const { events } = await readStream(await stream(model))
      expect(textOf(events)).toBe('Hi')
      expect(JSON.parse(events.at(-2)?.data ?? '')).toMatchObject({ usage: usage(9, 2) })
    }
    expect(on.upstream.asked.map(({ body }) => 'stream_options' in body)).toEqual([
      true,
      false,
      false,
    ])
    expect(await eventsOf(on.table, `usr_${model}`)).toHaveLength(2)
  },
)

it('a refusal that only repeats the name of the option changes no later call', async () => {
  on.upstream.list([{ id: 'repeats' }])
  const message = 'Invalid text: stream_options'
  on.upstream.serve('repeats', (response) => sendJson(response, 400, { error: { message } }))
  const refused = await stream('repeats')
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({ error: { message } })
  on.upstream.serve('repeats', says('Hi', usage(9, 2)))
  await (await stream('repeats')).text()
  expect(on.upstream.asked.at(-1)?.body.stream_options).toEqual({ include_usage: true })
})
