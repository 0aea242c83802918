import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Checkout } from '../stage/testing/checkout.ts'
import { PlayedAccount } from '../stage/testing/played-account.ts'

const registry = '123456789012.dkr.ecr.eu-west-1.amazonaws.com'
const minimal = `AWS_REGION=eu-west-1\nAGENT_IMAGE=${registry}/agent:1\n`

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

const preflight = (...options: string[]) => preflightWith({}, ...options)

const preflightWith = (environment: NodeJS.ProcessEnv, ...options: string[]) =>
  checkout.runOften(
    join(import.meta.dirname, 'main.ts'),
    aws.url,
    ['--stage', 'production', ...options],
    environment,
  )

/** Returns the state of a row of the table. */
function stateOf(said: string, what: string): string | undefined {
  return rowsOf(said).find((row) => row.what?.startsWith(what))?.state
}

const rowsOf = (said: string) =>
  Array.from(said.matchAll(/^(ok|missing|look) +(.+?)(?:  |$)/gm), ([, state, what]) => ({
    state,
    what,
  }))

describe('an account that has everything', () => {
  it('passes, and nothing in it is changed', async () => {
    const { code, said } = await preflight()
    expect(said).toContain('123456789012, eu-west-1')
    expect(said).toContain('no deployment yet')
    expect(said).not.toMatch(/^(missing|look)/m)
    expect(code).toBe(0)
    expect(aws.changes).toEqual([])
  })
})

describe('what prevents a deployment', () => {
  it('a quota of Fargate below one agent and the warm containers prevents a deployment', async () => {
    await checkout.settings(`${minimal}WARM_CONTAINERS=network=2,solo=3`)
    aws.quotas.set('L-3032A538', 11).set('L-36FBB829', 4)
    const { code, said } = await preflight()
    expect(stateOf(said, 'Fargate: vCPU on demand')).toBe('missing')
    expect(stateOf(said, 'Fargate: vCPU on Spot')).toBe('ok')
    expect(said).toContain('--quota-code L-3032A538 --desired-value 12')
    expect(code).toBe(1)
  })

  it('a quota of Fargate below one agent and the services prevents a deployment', async () => {
    aws.quotas.set('L-3032A538', 4)
    expect(stateOf((await preflight()).said, 'Fargate: vCPU on demand')).toBe('ok')
    await checkout.settings(`${minimal}SERVICES=backend-ai, web-chat`)
    expect(stateOf((await preflight()).said, 'Fargate: vCPU on demand')).toBe('missing')
  })

  it('reservations elsewhere prevent a deployment if they leave no room for the ones of this stage', async () => {
    aws.concurrency = { limit: 1000, unreserved: 500 }
    const { code, said } = await preflight()
    expect(stateOf(said, 'Lambda: concurrent executions')).toBe('missing')
    expect(said).toContain('1000, of which 500 are reserved elsewhere')
    expect(code).toBe(1)
  })

  it('the reservations that the stage already has do not prevent a deployment', async () => {
    aws.concurrency = { limit: 1000, unreserved: 800 }
    aws.functions.set('agent-platform-production-backend-ai', 200)
    expect(stateOf((await preflight()).said, 'Lambda: concurrent executions')).toBe('ok')
  })

  it('a quota of CloudFront below the paths of a surface, or without room for its distributions, prevents a deployment', async () => {
    aws.edgeQuotas.set('Cache behaviors per distribution', { usual: 75, own: 25 })
    aws.distributions = Array.from({ length: 198 }, (_, i) => `another ${i}`)
    const { code, said } = await preflight()
    expect(stateOf(said, 'CloudFront: Cache behaviors')).toBe('missing')
    expect(stateOf(said, 'CloudFront: Distributions')).toBe('missing')
    expect(said).toContain('--region us-east-1 --service-code cloudfront --quota-code L-00000000')
    expect(code).toBe(1)
    aws.distributions.push('agent-platform-production-web')
    aws.distributions.splice(0, 1)
    aws.edgeQuotas.delete('Cache behaviors per distribution')
    expect(stateOf((await preflight()).said, 'CloudFront: Distributions')).toBe('ok')
  })

  it('too few free VPCs or Elastic IP addresses prevent a deployment, unless the stage has its own VPC', async () => {
    aws.vpcs = Array<undefined>(5).fill(undefined)
    aws.addresses = Array<undefined>(3).fill(undefined)
    await checkout.settings(`${minimal}AGENTS_NAT=true`)
    const { said } = await preflight()
    expect(stateOf(said, 'VPCs')).toBe('missing')
    expect(stateOf(said, 'Elastic IP addresses')).toBe('missing')
    aws.vpcs = ['production', undefined, undefined, undefined, undefined]
    aws.addresses = ['production', 'production', 'production', undefined, undefined]
    expect((await preflight()).code).toBe(0)
  })

  it('a throwaway stage without the network of a kept one cannot be deployed', async () => {
    await checkout.settings(minimal, 'dev')
    const { code, said } = await preflight('--stage', 'dev')
    expect(stateOf(said, 'Network')).toBe('missing')
    expect(code).toBe(1)
    await checkout.settings(`${minimal}NETWORK_VPC_ID=vpc-1\n`, 'dev')
    expect((await preflight('--stage', 'dev')).code).toBe(0)
  })

  it('a region with two zones, or too few free IAM roles, prevents the deployment of a new stage', async () => {
    aws.zones = 2
    aws.roles = { used: 950, quota: 1000, own: 0 }
    const { said } = await preflight()
    expect(stateOf(said, 'Availability Zones')).toBe('missing')
    expect(stateOf(said, 'IAM roles')).toBe('missing')
    aws.roles.own = 100
    expect(stateOf((await preflight()).said, 'IAM roles')).toBe('ok')
  })

  it.each([
    ['a missing repository', 'other:1', 'aws ecr create-repository --repository-name other'],
    ['a missing image', 'agent:2', 'no image'],
    ['an image for another architecture', 'agent:amd', 'amd64'],
    ['an image for another architecture without an index', 'agent:plain', 'amd64'],
  ])('%s prevents a deployment', async (_, name, said) => {
    aws.images.set('agent:amd', ['amd64']).set('agent:plain', ['amd64'])
    aws.plain.add('agent:plain')
    await checkout.settings(`AWS_REGION=eu-west-1\nAGENT_IMAGE=${registry}/${name}`)
    const found = await preflight()
    expect(found.said).toContain(said)
    expect(stateOf(found.said, 'AGENT_IMAGE')).toBe('missing')
    expect(found.code).toBe(1)
  })

  it('a certificate that is pending, of another region, or for another host prevents a deployment', async () => {
    const arn = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/1`
    const set = (region: string) =>
      checkout.settings(
        `${minimal}AGENTS_DOMAIN=agents.example.com\nAGENTS_CERTIFICATE_ARN=${arn(region)}`,
      )
    const state = async () => stateOf((await preflight()).said, 'AGENTS_CERTIFICATE_ARN')
    await set('eu-west-1')
    expect(await state()).toBe('missing')
    const names = ['*.agents.example.com']
    aws.certificates.set(arn('eu-west-1'), { status: 'PENDING_VALIDATION', names })
    expect(await state()).toBe('missing')
    aws.certificates.set(arn('eu-west-1'), { status: 'ISSUED', names: ['agents.example.com'] })
    expect(await state()).toBe('missing')
    aws.certificates.set(arn('eu-west-1'), { status: 'ISSUED', names })
    expect(await state()).toBe('ok')
    await set('us-east-1')
    expect(await state()).toBe('missing')
  })

  it('a mail identity of another owner prevents a deployment, unless EMAIL_IDENTITY names it, as does a named one that is not verified', async () => {
    const sender = `${minimal}EMAIL_FROM=mail@example.com\n`
    await checkout.settings(sender)
    aws.ses.identities.set('mail@example.com', { isVerified: true })
    const { code, said } = await preflight()
    expect(stateOf(said, 'SES: sender')).toBe('missing')
    expect(said).toContain('set EMAIL_IDENTITY=existing')
    expect(code).toBe(1)
    await checkout.settings(`${sender}EMAIL_IDENTITY=existing`)
    expect((await preflight()).code).toBe(0)
    aws.ses.identities.clear()
    aws.ses.identities.set('example.com', { isVerified: true })
    expect((await preflight()).code).toBe(0)
    aws.ses.identities.set('example.com', { isVerified: false })
    expect((await preflight()).code).toBe(1)
  })

  it('a domain without its certificate prevents a deployment, as does a certificate outside us-east-1 for CloudFront', async () => {
    const state = async () => stateOf((await preflight()).said, 'WEB_CERTIFICATE_ARN')
    const domain = `${minimal}WEB_DOMAIN=app.example.com\n`
    await checkout.settings(domain)
    expect(await state()).toBe('missing')
    const arn = 'arn:aws:acm:us-east-1:123456789012:certificate/2'
    aws.certificates.set(arn, { status: 'ISSUED', names: ['*.example.com'] })
    await checkout.settings(`${domain}WEB_CERTIFICATE_ARN=${arn}`)
    expect(await state()).toBe('ok')
    await checkout.settings(`${domain}WEB_CERTIFICATE_ARN=${arn.replace('us-east-1', 'eu-west-1')}`)
    expect(await state()).toBe('missing')
  })

  it.each([
    ['GetAccountSummary', 'iam', 'IAM roles'],
    ['GetParameter', 'ssm', 'Settings of the last deployment'],
    ['DescribeVpcs', 'ec2', 'VPCs'],
  ])(
    'a permission for %s that the caller lacks prevents a deployment',
    async (operation, service, what) => {
      aws.denied.add(operation)
      const { code, said } = await preflight()
      expect(stateOf(said, what)).toBe('missing')
      expect(said).toContain(`not authorized to perform: ${service}:${operation}`)
      expect(said).not.toContain('    at ')
      expect(code).toBe(1)
    },
  )

  it('a setting that the last deployment had prevents a deployment until --drop names it', async () => {
    aws.parameters.set('/agent-platform/production/settings', 'AGENT_IMAGE,AGENTS_NAT,AWS_REGION')
    const { code, said } = await preflight()
    expect(said).toContain('no longer set: AGENTS_NAT')
    expect(said).toContain('--drop AGENTS_NAT')
    expect(code).toBe(1)
    expect((await preflight('--drop', 'AGENTS_NAT')).code).toBe(0)
  })
})

describe('what a person must look at', () => {
  it('a person must look at a new account: few executions, no distribution, SES in its sandbox', async () => {
    aws.concurrency = { limit: 10, unreserved: 10 }
    aws.distributions = []
    aws.ses.production = false
    await checkout.settings(`${minimal}EMAIL_FROM=Platform <mail@example.com>`)
    const { code, said } = await preflight()
    const looks = new Set(rowsOf(said).flatMap(({ state, what }) => (state === 'look' ? what : [])))
    expect([...looks]).toEqual([
      'CloudFront',
      'Lambda: concurrent executions',
      'SES: account',
      'SES: sender',
    ])
    expect(code).toBe(0)
    aws.ses.identities.set('mail@example.com', { isVerified: true, stage: 'production' })
    expect(stateOf((await preflight()).said, 'SES: sender')).toBe('ok')
  })

  it('a person must look at an image of another registry', async () => {
    await checkout.settings('AWS_REGION=eu-west-1\nAGENT_IMAGE=registry.example.com/agent:1')
    expect(stateOf((await preflight()).said, 'AGENT_IMAGE')).toBe('look')
  })
})

describe('what stops it before any check', () => {
  it.each([
    ['AGENT_IMAGE=a:1', 'stages/production.env: AWS_REGION: is required'],
    ['AWS_REGION=eu-west-1', 'stages/production.env: AGENT_IMAGE: is required'],
    [`${minimal}AGENT_IMGE=a`, 'AGENT_IMGE: is not a setting of a deployment'],
    [`${minimal}DATA_DIR=a`, 'DATA_DIR: is not a setting of a deployment'],
    [`${minimal}AI_API_KEY=k`, 'AI_API_KEY: is a secret: use `npx sst secret set AI_API_KEY`'],
    [`${minimal}KILL_SWITCH=yes`, 'KILL_SWITCH: '],
  ])('a stage file with %j stops it before any check', async (settings, said) => {
    await checkout.settings(settings)
    expect(await preflight()).toEqual({ code: 2, said: expect.stringContaining(said) as string })
  })

  it('a stage without a file stops it before any check', async () => {
    expect(await preflight('--stage', 'other')).toEqual({
      code: 2,
      said: 'stages/other.env does not exist: copy stages/example.env to it and edit it\n',
    })
  })

  it('the example file is valid: only the credentials of its profile are missing', async () => {
    const example = await readFile(join(import.meta.dirname, '../../stages/example.env'), 'utf8')
    await checkout.settings(example.replaceAll(/^#(?=[A-Z_]+=)/gm, ''))
    const { code, said } = await preflight()
    expect(said).toContain('no AWS credentials were found')
    expect(code).toBe(2)
  })

  it.each(['.env', '.env.production'])(
    'a file %s, which SST would read too, stops it before any check',
    async (name) => {
      await writeFile(join(checkout.folder, name), 'KILL_SWITCH=true')
      const { code, said } = await preflight()
      expect(said).toContain(`SST would read ${name} too`)
      expect(code).toBe(2)
    },
  )

  it('another region in the shell stops it before any check', async () => {
    expect(await preflightWith({ AWS_REGION: 'us-east-1' })).toEqual({
      code: 2,
      said: expect.stringContaining('AWS_REGION is us-east-1 in the shell') as string,
    })
  })

  it('credentials that AWS rejects stop it before any check', async () => {
    aws.areCredentialsValid = false
    const { code, said } = await preflight()
    expect(said).toContain('AWS rejects the credentials: InvalidClientTokenId')
    expect(code).toBe(2)
  })
})
