import { LambdaClient } from '@aws-sdk/client-lambda'
import { AwsClient } from 'aws4fetch'
import { DomUtils, parseDocument } from 'htmlparser2'

/** An error response of AWS, by the code in its body, such as `AccessDeniedException`. */
export class AwsError extends Error {
  override readonly name: string

  constructor(code: string, message: string) {
    super(message)
    this.name = code
  }
}

/** The parsed body of an XML response. */
export interface Xml {
  /** Returns the texts of all elements with this name, in document order. */
  textsOf(name: string): string[]
}

/**
 * Signed requests to AWS services that no other part of the platform calls, in their own protocols. The SDK's clients
 * would add a package for each service to every `npm ci`, including the SDK's largest one (EC2), for a few calls.
 * AWS_ENDPOINT_URL replaces every address, as in the SDK.
 */
export interface AwsCalls {
  readonly region: string
  /** Calls an operation over AWS JSON 1.1. `target` is the value of X-Amz-Target. @throws AwsError */
  json(service: JsonService, target: string, input: object, region?: string): Promise<unknown>
  /** Calls an operation over the Query protocol. @throws AwsError */
  query(service: QueryService, input: Record<string, string>): Promise<Xml>
  /** Reads a path of CloudFront's REST API. @throws AwsError */
  cloudFront(path: string): Promise<Xml>
}

type JsonService = 'acm' | 'ecr' | 'servicequotas' | 'ssm'
type QueryService = 'ec2' | 'iam' | 'sts'

const versions: Record<QueryService, string> = {
  ec2: '2016-11-15',
  iam: '2010-05-08',
  sts: '2011-06-15',
}

/** IAM and CloudFront are global: they have one address, signed for this region. */
const globalRegion = 'us-east-1'

/**
 * Opens AWS with the credentials and the region of the environment.
 * @throws the SDK's error if one is missing: ../aws-settings.ts
 */
export async function openAws(): Promise<AwsCalls> {
  const { config } = new LambdaClient({})
  const region = await config.region()
  const { accessKeyId, secretAccessKey, sessionToken } = await config.credentials()
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    retries: 3,
  })
  const send = async (service: string, host: string, signedFor: string, init: SignedRequest) => {
    const address = process.env['AWS_ENDPOINT_URL'] ?? `https://${host}`
    const { path, ...request } = { path: '/', ...init }
    const response = await client.fetch(new URL(path, address).href, {
      ...request,
      aws: { service, region: signedFor },
    })
    return { ok: response.ok, body: await response.text() }
  }
  return {
    region,
    async json(service, target, input, inRegion = region) {
      const host = `${service === 'ecr' ? 'api.ecr' : service}.${inRegion}.amazonaws.com`
      const { ok, body } = await send(service, host, inRegion, {
        method: 'POST',
        headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target },
        body: JSON.stringify(input),
      })
      const parsed: unknown = JSON.parse(body)
      if (!ok) throw jsonError(parsed)
      return parsed
    },
    async query(service, input) {
      const isGlobal = service === 'iam'
      const host = isGlobal ? 'iam.amazonaws.com' : `${service}.${region}.amazonaws.com`
      return xmlOf(
        await send(service, host, isGlobal ? globalRegion : region, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
          body: new URLSearchParams({ ...input, Version: versions[service] }).toString(),
        }),
      )
    },
    async cloudFront(path) {
      return xmlOf(
        await send('cloudfront', 'cloudfront.amazonaws.com', globalRegion, { method: 'GET', path }),
      )
    },
  }
}

interface SignedRequest {
  method: 'GET' | 'POST'
  path?: string
  headers?: Record<string, string>
  body?: string
}

function jsonError(body: unknown): AwsError {
  const { __type, message, Message } = body as Record<string, string | undefined>
  // Some services put their namespace before the code, as in `com.amazonaws.ssm#ParameterNotFound`.
  return new AwsError(__type?.split('#').at(-1) ?? 'Unknown', message ?? Message ?? '')
}

function xmlOf({ ok, body }: { ok: boolean; body: string }): Xml {
  const document = parseDocument(body, { xmlMode: true })
  const textsOf = (name: string) =>
    DomUtils.getElementsByTagName(name, document).map((element) => DomUtils.textContent(element))
  if (!ok) throw new AwsError(textsOf('Code')[0] ?? 'Unknown', textsOf('Message')[0] ?? body)
  return { textsOf }
}
