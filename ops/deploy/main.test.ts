import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Checkout } from '../stage/testing/checkout.ts'
import { PlayedAccount } from '../stage/testing/played-account.ts'

const image = '123456789012.dkr.ecr.eu-west-1.amazonaws.com/agent:1'
const minimal = `AWS_REGION=eu-west-1\nAGENT_IMAGE=${image}\n`
const parameter = '/agent-platform/production/settings'

let aws: PlayedAccount
let checkout: Checkout

beforeEach(async () => {
  aws = await new PlayedAccount().listen()
  checkout = await Checkout.make()
  await checkout.settings(minimal)
})
afterEach(async () => {
  await aws[Symbol.asyncDispose]()
  await checkout[Symbol.asyncDispose]()
})

const deploy = (
  options: string[] = [],
  environment: NodeJS.ProcessEnv = {},
  stage = 'production',
) =>
  checkout.run(
    join(import.meta.dirname, 'main.ts'),
    aws.url,
    ['--stage', stage, ...options],
    environment,
  )

it('builds and deploys only with the settings of the file, and records their names', async () => {
  const shell = { KILL_SWITCH: 'true', AGENT_IMAGE: 'another', UNPROTECTED_STAGE: 'production' }
  const { code, said } = await deploy([], shell)
  expect(code).toBe(0)
  expect(await checkout.log()).toEqual([
    `npm run build AGENT_IMAGE=${image} KILL_SWITCH= UNPROTECTED_STAGE=`,
    `sst deploy --stage production AGENT_IMAGE=${image} KILL_SWITCH= UNPROTECTED_STAGE=`,
  ])
  expect(aws.parameters.get(parameter)).toBe('AGENT_IMAGE,AWS_REGION')
  expect(said).toContain('npm run release -- --stage production')
})

it('deploys nothing if something is missing', async () => {
  aws.images.clear()
  expect((await deploy()).code).toBe(1)
  expect(await checkout.log()).toEqual([])
  expect(aws.changes).toEqual([])
})

it('deploys without the checks of the account with --skip-preflight, but compares the settings', async () => {
  aws.images.clear()
  aws.parameters.set(parameter, 'KILL_SWITCH')
  expect((await deploy(['--skip-preflight'])).code).toBe(1)
  expect(await checkout.log()).toEqual([])
  expect((await deploy(['--skip-preflight', '--drop', 'KILL_SWITCH'])).code).toBe(0)
})

it('refuses to deploy without a setting of the last deployment until --drop names it', async () => {
  await checkout.settings(`${minimal}KILL_SWITCH=false`)
  expect((await deploy()).code).toBe(0)
  await checkout.settings(minimal)
  expect((await deploy()).code).toBe(1)
  expect((await deploy(['--drop', 'KILL_SWITCH'])).code).toBe(0)
  expect((await deploy()).code).toBe(0)
})

it.each(['npm', 'sst'])('keeps the names of the last deployment if %s fails', async (program) => {
  aws.parameters.set(parameter, 'AWS_REGION')
  await checkout.program(program, 'exit 3')
  expect((await deploy()).code).toBe(1)
  expect(aws.parameters.get(parameter)).toBe('AWS_REGION')
})

it('names no release after the deployment of a throwaway stage', async () => {
  await checkout.settings(`${minimal}NETWORK_VPC_ID=vpc-1\n`, 'dev')
  const { code, said } = await deploy([], {}, 'dev')
  expect(code).toBe(0)
  expect(said).toContain('dev serves this version now')
  expect(said).not.toContain('npm run release')
})

it('tags the assets that the console no longer has, once, and no others', async () => {
  const own = 'sst:stage=production'
  for (const key of ['assets/now-A.js', 'assets/old-B.css', 'index.html'])
    aws.objects.set(key, { tagging: own, copies: 0 })
  await checkout.build(['assets/now-A.js', 'index.html'])
  expect((await deploy()).said).toContain('that S3 deletes in 30 days: 1')
  expect(Object.fromEntries(aws.objects)).toEqual({
    'assets/now-A.js': { tagging: own, copies: 0 },
    'assets/old-B.css': { tagging: 'retired=true', copies: 1, type: 'text/css; charset=utf-8' },
    'index.html': { tagging: own, copies: 0 },
  })
  expect((await deploy()).said).not.toContain('that S3 deletes')
  expect(aws.objects.get('assets/old-B.css')?.copies).toBe(1)
})
