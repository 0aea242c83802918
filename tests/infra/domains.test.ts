import { beforeAll, describe, expect, test } from 'vitest'
import { configuredUrl, domainsOf } from '#stacks/domains.ts'
import { declare, declared } from './harness/declare.ts'
import type { Declared } from './harness/declare.ts'

const certificate = (id: string, region = 'us-east-1') =>
  `arn:aws:acm:${region}:123456789012:certificate/${id}`

const settings = {
  WEB_DOMAIN: 'app.example.com',
  WEB_CERTIFICATE_ARN: certificate('web'),
  BACKEND_DOMAIN: 'api.example.com',
  BACKEND_CERTIFICATE_ARN: certificate('backend'),
  SUMMARIZER_DOMAIN: 'pages.example.com',
  SUMMARIZER_CERTIFICATE_ARN: certificate('summarizer'),
}

describe('a stage with domains', () => {
  let stack: Declared
  beforeAll(async () => {
    stack = await declare('production', settings)
  })

  test.each([
    ['Web', 'app.example.com', 'web'],
    ['Backend', 'api.example.com', 'backend'],
    ['Summarizer', 'pages.example.com', 'summarizer'],
  ])('serves %s at its own', (surface, host, id) => {
    expect(stack.one('aws:cloudfront/distribution:Distribution', `${surface}Edge`)).toMatchObject({
      aliases: [host],
      viewerCertificate: {
        acmCertificateArn: certificate(id),
        sslSupportMethod: 'sni-only',
        minimumProtocolVersion: 'TLSv1.2_2021',
      },
    })
  })

  test('gives functions their addresses, and prints what their records point to', () => {
    const variables = new Set(
      [...stack.all('aws:lambda/function:Function').values()].flatMap(({ environment }) => {
        const { variables = {} } = environment as { variables?: Record<string, string> }
        return ['WEB_URL', 'BACKEND_URL', 'SUMMARIZER_URL'].flatMap((name) => variables[name] ?? [])
      }),
    )
    expect([...variables].toSorted()).toEqual([
      'https://api.example.com',
      'https://app.example.com',
      'https://pages.example.com',
    ])
    expect(stack.outputs).toMatchObject({
      web: 'https://app.example.com',
      backend: 'https://api.example.com',
      summarizer: 'https://pages.example.com',
      webCname: 'webedge.cloudfront.net',
      backendCname: 'backendedge.cloudfront.net',
      summarizerCname: 'summarizeredge.cloudfront.net',
    })
  })
})

test('without domains, the addresses are AWS’s own, and no edge is created unless it is needed', () => {
  const edges = declared().all('aws:cloudfront/distribution:Distribution')
  expect([...edges.keys()].toSorted()).toEqual(['BackendEdge', 'WebEdge'])
  for (const { aliases, viewerCertificate } of edges.values()) {
    expect(aliases).toBeUndefined()
    expect(viewerCertificate).toEqual({ cloudfrontDefaultCertificate: true })
  }
  expect(Object.keys(declared().outputs).filter((name) => name.endsWith('Cname'))).toEqual([])
})

const web = { WEB_DOMAIN: 'app.example.com', WEB_CERTIFICATE_ARN: certificate('web') }

test.each([
  [{ WEB_DOMAIN: 'app.example.com' }, 'WEB_CERTIFICATE_ARN is not set'],
  [{ BACKEND_CERTIFICATE_ARN: certificate('one') }, 'BACKEND_DOMAIN is not'],
  [
    { ...web, WEB_CERTIFICATE_ARN: certificate('web', 'eu-west-1') },
    'WEB_CERTIFICATE_ARN is arn:aws:acm:eu-west-1:123456789012:certificate/web',
  ],
  [{ ...web, WEB_CERTIFICATE_ARN: 'certificate/web' }, 'WEB_CERTIFICATE_ARN is certificate/web'],
  [{ ...web, WEB_DOMAIN: 'https://app.example.com' }, 'WEB_DOMAIN is https://app.example.com'],
  [{ ...web, WEB_DOMAIN: 'App.Example.com' }, 'WEB_DOMAIN is App.Example.com'],
])('%o is refused by the name of its setting', (given, message) => {
  expect(() => domainsOf(given)).toThrow(message)
})

test('an address must be the domain’s, if there is one', () => {
  const other = { ...web, WEB_URL: 'https://www.example.com' }
  expect(() => configuredUrl('web', other)).toThrow('WEB_URL is https://www.example.com')
  expect(configuredUrl('web', { ...web, WEB_URL: 'https://app.example.com' })).toBe(
    'https://app.example.com',
  )
  expect(configuredUrl('web', { WEB_URL: 'https://www.example.com' })).toBe(
    'https://www.example.com',
  )
})
