import { expect, test } from 'vitest'
import { checkStage, isThrowaway } from '../../stacks/stage.ts'
import { declare } from './harness/declare.ts'

test.each(['dev', 'dev-anna', 'test', 'preview-12', 'pr-7', 'ci', 'ci-main'])(
  '%s may be removed with its data',
  (stage) => {
    expect(isThrowaway(stage)).toBe(true)
  },
)

test.each(['production', 'production-europe-west-1', 'staging', 'developers', 'pro', 'city'])(
  '%s is kept',
  (stage) => {
    expect(isThrowaway(stage)).toBe(false)
  },
)

test.each([
  'Production',
  'my_stage',
  'a.b',
  '1st',
  '-dev',
  'dev-',
  'dev--a',
  '',
  'a'.repeat(29),
  'local',
])('the stage name %j is rejected', (stage) => {
  expect(() => checkStage(stage)).toThrow('the stage cannot be called')
})

test('the names of a long stage fit into AWS’s limits, stay different and keep their prefix', async () => {
  const stage = 'production-europe-west-1'
  const stack = await declare(stage)
  const types = [
    'aws:iam/role:Role',
    'aws:lambda/function:Function',
    'aws:scheduler/schedule:Schedule',
    'aws:cloudwatch/eventRule:EventRule',
    'aws:cloudfront/function:Function',
    'aws:cloudfront/originAccessControl:OriginAccessControl',
  ]
  for (const type of types) {
    // Pulumi chooses the other names, within the limits.
    const names = [...stack.all(type).values()].flatMap(({ name }) => (name as string) ?? [])
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) {
      expect(name.startsWith(`agent-platform-${stage}-`)).toBe(true)
      expect(name.length).toBeLessThanOrEqual(64)
    }
  }
  expect(stack.app).toMatchObject({ protect: true, removal: 'retain' })
})
