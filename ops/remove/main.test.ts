import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Checkout } from '../stage/testing/checkout.ts'
import { PlayedAccount } from '../stage/testing/played-account.ts'

const settings = 'AWS_REGION=eu-west-1\nAGENT_IMAGE=agent:1\n'
const parameter = '/agent-platform/test/settings'
const starters = ['provisioning', 'warm-pool'].map((name) => `agent-platform-test-${name}`)
const starter = 'agent-platform-production-provisioning'

let aws: PlayedAccount
let checkout: Checkout

beforeEach(async () => {
  aws = await new PlayedAccount().listen()
  aws.parameters.set(parameter, 'AWS_REGION')
  aws.vpcs = ['test']
  for (const name of starters) aws.functions.set(name, undefined)
  aws.functions.set('agent-platform-test-checks', 50)
  aws.functions.set(starter, undefined)
  checkout = await Checkout.make()
  for (const stage of ['test', 'production']) await checkout.settings(settings, stage)
})
afterEach(async () => {
  await aws[Symbol.asyncDispose]()
  await checkout[Symbol.asyncDispose]()
})

const remove = (...options: string[]) =>
  checkout.run(join(import.meta.dirname, 'main.ts'), aws.url, ['--stage', 'test', ...options], {
    REMOVE_POLL_MS: '1',
  })

it('stops what starts agents, then agents and warm containers, then removes the stage', async () => {
  for (const [arn, group] of [
    ['agent', 'family:agent-solo'],
    ['warm', 'family:agent-solo'],
    ['router', 'service:router'],
  ] as const)
    aws.tasks.set(arn, { group })
  const { code, said } = await remove()
  expect(said).toContain('waiting for 2 tasks to stop')
  expect(code).toBe(0)
  expect(starters.map((name) => aws.functions.get(name))).toEqual([0, 0])
  expect(aws.functions.get('agent-platform-test-checks')).toBe(50)
  expect(aws.changes).toEqual([
    'PutFunctionConcurrency',
    'PutFunctionConcurrency',
    'StopTask',
    'StopTask',
    'DeleteParameter',
  ])
  expect(await checkout.log()).toEqual([expect.stringContaining('sst remove --stage test')])
  expect(said).toContain('These stay:')
})

it('a throwaway stage is taken out of a shared network that other stages still use', async () => {
  await checkout.settings(`${settings}NETWORK_VPC_ID=vpc-1\n`, 'test')
  aws.vpcs = ['production']
  aws.groups.push('agent-platform-test-functions-1', 'agent-platform-dev-functions-1')
  aws.interfaces = 2
  const flag = join(checkout.folder, 'failed')
  await checkout.program('sst', `[ -e '${flag}' ] || { touch '${flag}'; exit 1; }`)
  expect((await remove()).code).toBe(0)
  // It waits for its own functions' interfaces only, and changes nothing of the other stages.
  expect(aws.interfaces).toBe(0)
  expect(aws.functions.get(starter)).toBeUndefined()
  expect(aws.changes).toEqual([
    'PutFunctionConcurrency',
    'PutFunctionConcurrency',
    'DeleteParameter',
  ])
})

it('runs again once Lambda has deleted the interfaces that hold the network', async () => {
  aws.interfaces = 3
  const flag = join(checkout.folder, 'failed')
  await checkout.program('sst', `[ -e '${flag}' ] || { touch '${flag}'; exit 1; }`)
  const { code, said } = await remove()
  expect(said).toContain('network interfaces of deleted functions still hold the network')
  expect(code).toBe(0)
  expect(aws.interfaces).toBe(0)
  expect(await checkout.log()).toHaveLength(2)
})

it('ends after a failure that no interface explains, and says how to keep the stage', async () => {
  await checkout.program('sst', 'exit 1')
  const { code, said } = await remove()
  expect(code).toBe(1)
  expect(await checkout.log()).toHaveLength(1)
  expect(said).toContain('npx sst refresh --stage test')
  expect(aws.parameters.has(parameter)).toBe(true)
})

it('removes a stage that is kept only if --yes repeats its name, after a deployment without protection', async () => {
  const refused = await remove('--stage', 'production', '--yes', 'prod')
  expect(refused).toEqual({ code: 2, said: expect.stringContaining('--yes production') as string })
  expect(await checkout.log()).toEqual([])
  aws.vpcs = ['production']
  const { code, said } = await remove('--stage', 'production', '--yes', 'production')
  expect(code).toBe(0)
  expect((await checkout.log()).map((line) => line.split(' AGENT_IMAGE')[0])).toEqual([
    'npm run build',
    'sst deploy --stage production',
    'sst remove --stage production',
  ])
  expect(await checkout.log()).toEqual(
    Array(3).fill(expect.stringMatching(/UNPROTECTED_STAGE=production$/)),
  )
  expect(said).toMatch(/the table +\$0.25 per GB/)
})

it('keeps a stage whose network a throwaway stage uses', async () => {
  aws.vpcs = ['production']
  aws.groups.push('agent-platform-dev-functions-1')
  const { code, said } = await remove('--stage', 'production', '--yes', 'production')
  expect(code).toBe(1)
  expect(said).toContain('of other stages are in the network of production: agent-platform-dev-')
  expect(aws.changes).toEqual([])
  expect(await checkout.log()).toEqual([])
})

it('does not deploy a kept stage again if its removal is repeated', async () => {
  aws.functions.set(starter, 0)
  expect((await remove('--stage', 'production', '--yes', 'production')).code).toBe(0)
  expect(await checkout.log()).toEqual([expect.stringContaining('sst remove')])
})

it('stops nothing if the deployment without protection fails', async () => {
  await checkout.program('sst', 'exit 1')
  expect((await remove('--stage', 'production', '--yes', 'production')).code).toBe(1)
  expect(aws.changes).toEqual([])
})

it('the removal can be repeated after the functions and the cluster are gone', async () => {
  aws.functions.clear()
  aws.hasCluster = false
  expect((await remove()).code).toBe(0)
})
