import { describe, expect, test } from 'vitest'
import { functions, queueVariable } from '#shared/manifest/index.ts'
import { workerCompatibility } from '#shared/manifest/worker.ts'
import { declare, declared, secretValue } from './harness/declare.ts'
import type { Inputs } from './harness/mocks.ts'
import { componentOf, roleStatements, statementsOf } from './harness/policies.ts'

const atTheEdge = functions.filter(({ edge }) => edge === true)

const stack = await declare('production', {
  WORKERS_DOMAIN: 'workers.example.com',
  CLOUDFLARE_DEFAULT_ACCOUNT_ID: 'account',
  CLOUDFLARE_API_TOKEN: 'token',
})

const hostOf = (name: string) => `agent-platform-production-${name}.workers.example.com`
const scriptOf = (name: string) =>
  stack.one('cloudflare:index/workersScript:WorkersScript', `${componentOf(name)}Script`)
const bindingsOf = (name: string) =>
  new Map((scriptOf(name).bindings as Inputs[]).map((binding) => [binding.name, binding]))

test('a stage without a Cloudflare domain has no worker, and requires no account there', () => {
  const types = new Set(declared().registrations.map(({ type }) => type))
  expect([...types].filter((type) => type.startsWith('cloudflare:'))).toEqual([])
  expect(declared().app).not.toHaveProperty('providers.cloudflare')
  expect(stack.app).toMatchObject({ providers: { cloudflare: '6.15.0' } })
})

test('each function is either a Lambda or a worker', () => {
  const lambdas = [...stack.all('aws:lambda/function:Function').values()].map(({ name }) => name)
  const scripts = [...stack.all('cloudflare:index/workersScript:WorkersScript').keys()]
  expect(lambdas.toSorted()).toEqual(
    functions
      .filter((spec) => !atTheEdge.includes(spec))
      .map(({ name }) => `agent-platform-production-${name}`)
      .toSorted(),
  )
  expect(scripts.toSorted()).toEqual(
    atTheEdge.map(({ name }) => `${componentOf(name)}Script`).toSorted(),
  )
})

describe.each(atTheEdge)('the worker of $name', (spec) => {
  const { name, grants, secrets, settings, trigger } = spec
  const prefixes = trigger.kind === 'http' ? trigger.prefixes : []
  const surface = trigger.kind === 'http' ? trigger.surface : undefined

  test('deploys the bundle that is tested on workerd, under the same conditions', () => {
    const build = stack.builds.find(({ functionID }) => functionID === componentOf(name))
    expect(build).toMatchObject({ runtime: 'worker', handler: `dist/workers/${name}/index.js` })
    expect(scriptOf(name)).toMatchObject({
      compatibilityDate: workerCompatibility.date,
      compatibilityFlags: workerCompatibility.flags,
    })
  })

  test('has exactly the settings of the manifest in plain, and its secrets as secrets', () => {
    const reachesAws = grants.length > 0
    const plain = ['FUNCTION_NAME', 'PLATFORM_STAGE', 'AWS_REGION', 'SST_RESOURCE_App', ...settings]
    const sealed = secrets.map((secret) => `SST_RESOURCE_${secret}`)
    if (grants.some((grant) => 'table' in grant || 'count' in grant || 'claims' in grant))
      plain.push('TABLE_NAME')
    for (const grant of grants) if ('send' in grant) plain.push(queueVariable(grant.send))
    if (reachesAws) {
      plain.push('AWS_ACCESS_KEY_ID')
      sealed.push('AWS_SECRET_ACCESS_KEY', `SST_RESOURCE_${componentOf(name)}Grants`)
    }
    const bindings = bindingsOf(name)
    const named = (type: string) =>
      [...bindings.values()].filter((each) => each.type === type).map((each) => String(each.name))
    expect(named('plain_text').toSorted()).toEqual(plain.toSorted())
    expect(named('secret_text').toSorted()).toEqual(sealed.toSorted())
    expect(bindings.size).toBe(plain.length + sealed.length)
    for (const secret of secrets)
      expect(JSON.parse(String(bindings.get(`SST_RESOURCE_${secret}`)?.text))).toMatchObject({
        value: secretValue(secret),
      })
    expect(bindings.get('FUNCTION_NAME')?.text).toBe(name)
  })

  test('has the same AWS permissions as the Lambda, except for logs, by its own user', () => {
    const policy = `${componentOf(name)}AwsPolicy`
    const policies = stack.registrations.filter(({ name: called }) => called === policy)
    if (grants.length === 0) return expect(policies).toEqual([])
    const user = expect.stringContaining(`-${componentOf(name)}AwsUser-`)
    expect(policies.map(({ inputs }) => inputs.user)).toEqual([user])
    const ofLambda = roleStatements(declared(), `${componentOf(name)}Role`)
      .filter(({ Action }) => !Action.some((action) => action.startsWith('logs:')))
      .map(({ Effect, Action, Resource, Condition }) => ({ Effect, Action, Resource, Condition }))
    const ofUser = policies
      .flatMap(({ inputs }) => statementsOf(inputs.policy))
      .map(({ Effect, Action, Resource, Condition = {} }) => ({
        Effect,
        Action,
        Resource,
        Condition,
      }))
    expect(ofUser).toEqual(ofLambda)
    // Checks for wallet keys at least. A worker that only counts requests may touch no other rows.
    if (grants.some((grant) => 'table' in grant))
      expect(JSON.stringify(ofUser.filter(({ Effect }) => Effect === 'Deny'))).toContain('signer#*')
  })

  test('has its own host behind its surface’s address', () => {
    expect(
      stack.one(
        'cloudflare:index/workersCustomDomain:WorkersCustomDomain',
        `${componentOf(name)}Domain`,
      ),
    ).toMatchObject({ hostname: hostOf(name) })
    const edge = stack.one(
      'aws:cloudfront/distribution:Distribution',
      `${componentOf(surface ?? '')}Edge`,
    )
    expect(edge.origins).toContainEqual(
      expect.objectContaining({
        originId: name,
        domainName: hostOf(name),
        originPath: '',
        customHeaders: [{ name: 'x-origin-secret', value: secretValue('ORIGIN_SECRET') }],
      }),
    )
    const led = (edge.orderedCacheBehaviors as Inputs[])
      .filter(({ targetOriginId }) => targetOriginId === name)
      .map(({ pathPattern }) => pathPattern)
    expect(led).toEqual(prefixes.flatMap((one) => (one === '/' ? ['/'] : [one, `${one}/*`])))
  })

  test('has no route, permission or alarm of a Lambda', () => {
    const remaining = stack.registrations.filter(
      ({ type, name: called }) => type.startsWith('aws:') && called.startsWith(componentOf(name)),
    )
    const ofItsUser = new Set([
      'aws:iam/user:User',
      'aws:iam/userPolicy:UserPolicy',
      'aws:iam/accessKey:AccessKey',
    ])
    expect(remaining.filter(({ type }) => !ofItsUser.has(type))).toEqual([])
  })
})

test('no two workers share a user', () => {
  const granted = atTheEdge.filter(({ grants }) => grants.length > 0)
  expect(stack.all('aws:iam/user:User').size).toBe(granted.length)
  expect(stack.all('aws:iam/accessKey:AccessKey').size).toBe(granted.length)
})
