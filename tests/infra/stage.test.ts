import { expect, test } from 'vitest'
import { functions } from '#shared/manifest/index.ts'
import { hourlySettings } from '../../bench/costs/idle/resources.ts'
import { nameAtAws } from '../../ops/stage/settings.ts'
import { checkStage, isThrowaway } from '../../stacks/stage.ts'
import { second, throwaway } from './harness/combined.ts'
import { declare } from './harness/declare.ts'
import type { Declared } from './harness/declare.ts'

test.each(['dev', 'dev-anna', 'test', 'staging', 'main', 'productions', 'pre-production'])(
  '%s may be removed with its data',
  (stage) => {
    expect(isThrowaway(stage)).toBe(true)
  },
)

test.each(['production', 'production-2', 'production-europe-west-1'])('%s is kept', (stage) => {
  expect(isThrowaway(stage)).toBe(false)
})

test('a name that is too long is rejected with its length and the limit', () => {
  expect(() => checkStage('a'.repeat(27))).toThrow('has 27 characters, and the limit is 26')
})

test('the longest name of a stage leaves the names of functions whole', () => {
  const stage = 'a'.repeat(26)
  expect(() => checkStage(stage)).not.toThrow()
  const names = functions.map(({ name }) => nameAtAws(stage, name))
  expect(names.filter((name) => name.length > 63)).toEqual([])
})

test.each(['Production', 'my_stage', 'a.b', '1st', '-dev', 'dev-', 'dev--a', '', 'local'])(
  'the stage name %j is rejected',
  (stage) => {
    expect(() => checkStage(stage)).toThrow('the stage cannot be called')
  },
)

test('the names of a long stage fit into AWS’s limits, stay different and keep their prefix', async () => {
  const stage = 'production-europe-west-1'
  const stack = await declare(stage, second)
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

test('a stage keeps its region, except a throwaway one', async () => {
  const AWS_REGION = 'us-east-1'
  const { app } = await declare('production', { ...hourlySettings, AWS_REGION })
  expect(app.providers).toEqual({ aws: { region: AWS_REGION } })
  await expect(declare('production', { AWS_REGION: '' })).rejects.toThrow('AWS_REGION is not set')
  expect((await declare('dev', { ...throwaway, AWS_REGION: '' })).app.providers).toEqual({
    aws: {},
  })
})

test('stages of the same name in two regions share no global name', async () => {
  const [ireland, virginia] = await Promise.all(
    ['eu-west-1', 'us-east-1'].map((AWS_REGION) =>
      declare('production', { ...hourlySettings, AWS_REGION }),
    ),
  )
  const globalNames = (stack: Declared | undefined) =>
    stack?.registrations.flatMap(({ type, inputs }) => {
      const { name } = (inputs.vpcOriginEndpointConfig ?? inputs) as { name?: string }
      return /^aws:(?:iam|cloudfront)\//.test(type) ? (name ?? []) : []
    }) ?? []
  const names = globalNames(ireland)
  expect(names.length).toBeGreaterThan(100)
  expect(globalNames(virginia).filter((name) => names.includes(name))).toEqual([])
})
