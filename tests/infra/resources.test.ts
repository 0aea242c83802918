import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hourlySettings } from '../../bench/costs/idle/resources.ts'
import { throwaway } from './harness/combined.ts'
import { declare, declared } from './harness/declare.ts'
import { root } from './harness/paths.ts'
import { resourcesOf, unpricedTypes } from './harness/resources.ts'

describe('an idle stage', async () => {
  // The resources that these tests' usual settings add are billed by storage.
  const stages = {
    small: declared(),
    hourly: await declare('production', hourlySettings),
    throwaway: await declare('dev-ada', throwaway),
  }

  // If this fails, `npm run infra -- -u` updates the counts, and `npm run costs -- --report` the costs.
  test('has the resources in docs/operate/costs.md', async () => {
    const counted = Object.fromEntries(
      Object.entries(stages).map(([name, stack]) => [name, resourcesOf(stack)]),
    )
    await expect(`${JSON.stringify(counted, undefined, 2)}\n`).toMatchFileSnapshot(
      join(root, 'bench/costs/idle/resources.json'),
    )
  })

  test.each(Object.entries(stages))(
    '%s: every resource type is listed as billed or free',
    (_, stack) => {
      expect(unpricedTypes(stack)).toEqual([])
    },
  )

  test('pays for its table by the request, and for no parameter', () => {
    for (const stack of Object.values(stages)) {
      const of = (type: string) => stack.registrations.filter((entry) => entry.type === type)
      for (const { inputs } of of('aws:dynamodb/table:Table'))
        expect(inputs.billingMode).toBe('PAY_PER_REQUEST')
      for (const { inputs } of of('aws:ssm/parameter:Parameter'))
        expect(inputs.tier).not.toBe('Advanced')
    }
  })
})
