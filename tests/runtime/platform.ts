import { createCipheriv, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FunctionSpec, functions, queues } from '#shared/manifest/index.ts'
import { prepareRuntime } from '#stacks/local/agent-runtime.ts'
import { localCredentials } from '#stacks/local/clients/credentials.ts'
import { clusterName, type Engines, startEngines, tableName } from '#stacks/local/engines.ts'
import { functionEnvironment, type Platform } from '#stacks/local/functions/environment.ts'
import { startInvokeApi } from '#stacks/local/invoke/server.ts'
import { loadSecrets } from '#stacks/local/secrets/secrets.ts'
import { readSettings } from '#stacks/local/settings/settings.ts'
import { startSurfaces, type Surfaces } from '#stacks/local/surfaces/start.ts'
import { freePorts } from '#stacks/local/testing/free-ports.ts'
import { startUpstream, type Upstream } from '../support/ai/upstream.ts'
import { testAccessKey } from '../support/platform/credentials.ts'
import { type Kms, startKms } from '../support/platform/kms.ts'
import { type RuntimeHost, runtimeHost } from './host.ts'

export interface RuntimePlatform {
  urls: Surfaces['urls']
  /** The last error of each function that gave no response. */
  failures: ReadonlyMap<string, unknown>
  host: RuntimeHost
  engines: Engines
  /** The stand-in of a model provider. */
  models: Upstream
  kms: Kms
  internalKey: string
  /** The folder of sent mails. */
  outbox: string
  close(): Promise<void>
}

const root = join(import.meta.dirname, '../..')
const walletKeyId = 'arn:aws:kms:us-east-1:000000000000:key/wallets'

/**
 * Starts the local engines and surfaces, with functions under AWS's runtime client. Functions have the
 * variables of a deployment: they find the engines by AWS_ENDPOINT_URL, and their secrets in SST's sealed file.
 */
export async function startPlatform(): Promise<RuntimePlatform> {
  await using started = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'runtime-'))
  started.defer(() => rm(dir, { recursive: true, force: true }))
  const credentials = localCredentials(testAccessKey)
  const models = await startUpstream()
  started.defer(() => models.close())
  const given = { AI_BASE_URL: models.baseUrl }
  const settings = readSettings({ ...freePorts, ...given, DATA_DIR: dir, PAYMENTS: 'off' })
  const { secrets } = await loadSecrets(dir)
  const engines = await startEngines({
    dataDir: dir,
    cacheDir: join(dir, 'cache'),
    runtime: await prepareRuntime('embedded', { root, dataDir: dir }),
    settings,
    secrets,
    credentials,
    functions,
    queues,
  })
  started.defer(() => engines.close())
  started.defer(() => engines.stopContainers())
  const kms = await startKms(walletKeyId)
  started.defer(() => kms.close())
  const platform: Platform = {
    ...engines,
    endpoints: { ...engines.endpoints, lambda: '' },
    bundles: join(root, 'dist/functions'),
    credentials,
    values: {},
    objectLinksKey: '',
    tableName,
    clusterName,
  }
  const { PAYMENTS_SECRET_KEY: _key, PAYMENTS_WEBHOOK_SECRET: _secret, ...own } = secrets
  const others = { AI_API_KEY: 'any', EVM_RPC_URL: 'https://localhost:9', ORIGIN_SECRET: 'any' }
  const sealed = secretsFile({ ...own, ...others }, dir)
  const host = runtimeHost({
    functions,
    bundles: platform.bundles,
    environmentOf: async (spec) => ({
      ...deployedEnvironment(spec, platform, kms),
      ...(await sealed(spec)),
    }),
  })
  started.defer(() => host.close())
  const invokeApi = await startInvokeApi({ functions, host, accessKeyId: testAccessKey })
  started.defer(() => invokeApi.close())
  platform.endpoints.lambda = invokeApi.endpoint
  const failures = new Map<string, unknown>()
  const surfaces = await startSurfaces({
    ports: settings.ports,
    functions,
    host,
    routerSecret: secrets.ROUTER_SECRET,
    onFailure: (name, error) => void failures.set(name, error),
  })
  started.defer(() => surfaces.close(0))
  platform.values = {
    ...given,
    ...surfaces.publicAddresses,
    AGENT_IMAGE: 'agent-platform/embedded:latest',
    EMAIL_FROM: 'mail@example.com',
    WALLET_KMS_KEY_ID: walletKeyId,
  }
  const resources = started.move()
  return {
    urls: surfaces.urls,
    failures,
    host,
    engines,
    models,
    kms,
    internalKey: secrets.INTERNAL_API_KEY,
    outbox: join(dir, 'outbox'),
    close: () => resources.disposeAsync(),
  }
}

/** Returns the plain variables of a function as deployed. The SDK's own variables replace the addresses of AWS. */
function deployedEnvironment(
  spec: FunctionSpec,
  platform: Platform,
  kms: Kms,
): Record<string, string> {
  const { endpoints } = platform
  const local = Object.entries(functionEnvironment(spec, platform))
  const onlyLocal = (name: string) => /_ENDPOINT$|^OBJECT_LINKS_KEY$/.test(name)
  return {
    ...Object.fromEntries(local.filter(([name]) => !onlyLocal(name))),
    PLATFORM_STAGE: 'production',
    SUBNETS: 'subnet-1',
    SECURITY_GROUP: 'sg-1',
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: endpoints.ecs,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_ECS: endpoints.ecs,
    AWS_ENDPOINT_URL_KMS: kms.endpoint,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_SESV2: endpoints.ses,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
  }
}

/** Returns a function that seals a Lambda's secrets as SST does; an unset one is empty: AES-256-GCM, the tag at the end. */
function secretsFile(secrets: Record<string, string>, dir: string) {
  const key = randomBytes(32)
  return async ({ name, secrets: granted }: FunctionSpec): Promise<Record<string, string>> => {
    const linked = granted.map((secret) => [secret, { value: secrets[secret] ?? '' }])
    const cipher = createCipheriv('aes-256-gcm', key, Buffer.alloc(12))
    const text = JSON.stringify(Object.fromEntries([...linked, ['App', {}]]))
    const file = join(dir, `${name}.enc`)
    const sealed = [cipher.update(text), cipher.final(), cipher.getAuthTag()]
    await writeFile(file, Buffer.concat(sealed))
    return { SST_KEY: key.toString('base64'), SST_KEY_FILE: file }
  }
}
