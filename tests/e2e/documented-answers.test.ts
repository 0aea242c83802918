import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { newSubscriber, runningAgent, stack, type TestUser } from '../support/stack/platform.ts'

const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
})
const operation = z.object({
  responses: z.object({
    200: z.object({
      content: z.object({ 'application/json': z.object({ schema: z.looseObject({}) }) }),
    }),
  }),
})

let user: TestUser
let agentId: string

beforeAll(async () => {
  user = await newSubscriber('solo')
  agentId = await runningAgent(user)
})

const isJson = (answer: Response) =>
  answer.headers.get('content-type')?.startsWith('application/json') === true

/** The routes that an agent's owner, or a trusted caller, can read at once. The others need an object of their own. */
const least = { web: 40, backend: 20 } as const

describe.each(['web', 'backend'] as const)('the OpenAPI document of %s', (surface) => {
  it('describes the answers, with null only where it says so', async () => {
    const origin = stack()[surface]
    const headers =
      surface === 'web' ? user.session : { authorization: `Bearer ${stack().internalKey}` }
    const { paths, components } = document.parse(
      await (await fetch(`${origin}/openapi.json`)).json(),
    )
    const wrong: string[] = []
    let compared = 0
    for (const [template, { get }] of Object.entries(paths)) {
      const described = operation.safeParse(get)
      if (!described.success) continue
      const path = template
        .replaceAll(/\{(?:id|agentId)\}/g, agentId)
        .replaceAll('{userId}', user.id)
      if (path.includes('{')) continue
      const answer = await fetch(origin + path, { headers, redirect: 'manual' })
      if (answer.status !== 200 || !isJson(answer)) {
        await answer.body?.cancel()
        continue
      }
      const schema = described.data.responses[200].content['application/json'].schema
      const whole = JSON.stringify({ ...schema, $defs: components.schemas })
      const found = z
        .fromJSONSchema(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')))
        .safeParse(await answer.json())
      compared++
      if (!found.success) wrong.push(`${template}: ${z.prettifyError(found.error)}`)
    }
    expect(wrong).toEqual([])
    expect(compared).toBeGreaterThanOrEqual(least[surface])
  })
})
