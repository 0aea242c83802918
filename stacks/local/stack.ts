import { randomBytes } from 'node:crypto'
import { rm, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import * as manifest from '#shared/manifest/index.ts'
import type { FunctionSpec, QueueName, QueueSpec, Surface } from '#shared/manifest/index.ts'
import type { BackgroundBuild } from '../build/in-background.ts'
import { prepareRuntime, runtimesFolder } from './agent-runtime.ts'
import { localCredentials } from './clients/credentials.ts'
import type { Consumed } from './database/meter.ts'
import { clusterName, startEngines, tableName } from './engines.ts'
import { functionEnvironment, type Platform } from './functions/environment.ts'
import { type CountingHost, startFunctionHost } from './functions/host.ts'
import { startInvokeApi } from './invoke/server.ts'
import { isLockFile, acquireLock } from './lock/lock.ts'
import { startMail } from './mail-in/start.ts'
import { linksKey, objectPages } from './objects/links.ts'
import { notifyOfUpload } from './objects/notify.ts'
import { consolePages } from './pages/console.ts'
import { restrictPermissions } from './permissions/restrict.ts'
import { startMappings } from './queues/mappings.ts'
import { startScheduler } from './schedules/scheduler.ts'
import { loadSecrets } from './secrets/secrets.ts'
import { placeServices } from './services/places.ts'
import { readSettings } from './settings/settings.ts'
import { startSurfaces } from './surfaces/start.ts'
import { openFunctionLog } from './terminal/function-log.ts'

export interface StackOptions {
  /** The repository root: agents run from its sources. */
  root: string
  /** The folder that holds `<name>/index.cjs` of every function. */
  bundles: string
  /** A build that continues while the stack runs. Schedules wait for its end. Default: everything is built. */
  building?: Pick<BackgroundBuild, 'pages' | 'prepare' | 'prepareService'> & {
    finished: Promise<void>
  }
  /** The folder that holds `<name>/index.cjs` of every service. Without it, all functions run as on Lambda. */
  services?: string
  /** The folder of the console's files, which the web surface serves. Without it, there is no console. */
  consoleDir?: string
  /** Settings by name, including DATA_DIR and the ports. Port 0 picks a free one. */
  environment: Record<string, string | undefined>
  /** Default: the functions of the manifest. */
  functions?: readonly FunctionSpec[]
  queues?: readonly QueueSpec[]
  /** Visibility timeouts in seconds that differ from the manifest's. */
  visibility?: Partial<Record<QueueName, number>>
  /** The delay before each word that the stand-in model streams; default 0. */
  wordMs?: number
  /** Removes all state first. */
  reset?: boolean
  /** Receives log lines for the terminal: warnings and errors, or all lines with `verbose`. */
  show?(text: string): void
  verbose?: boolean
  /** Receives a short text for each step of the start. */
  onProgress?(what: string): void
  /** Receives the consumed capacity of each request to the embedded database. */
  onConsumed?(consumed: Consumed): void
  /** `off`: schedules do not run by themselves; the caller runs them through `host`. */
  schedules?: 'on' | 'off'
  /** Receives problems of the stack itself, outside functions. */
  onProblem?(where: string, message: string, error: unknown): void
}

export interface Stack {
  urls: Record<Surface, string>
  /** The domain of the agents' hosts, with the port of the router. */
  agentsDomain: string
  endpoints: Platform['endpoints']
  /** The port of the listener for mails to agents; undefined without the function that reads them. */
  mailPort: number | undefined
  /** The address of the stand-in checkout, if no payment provider is configured. */
  checkoutUrl: string | undefined
  queueUrls: Record<QueueName, string>
  tableName: string
  clusterName: string
  dataDir: string
  /** The file that holds INTERNAL_API_KEY, unless the environment sets it. */
  secretsFile: string
  /** The file with every line that functions write. */
  logFile: string
  host: CountingHost
  /** Stops everything within ten seconds. Agents start again with the next start. */
  close(): Promise<void>
}

/** The folder in DATA_DIR that the file explorer shows, unless WORKSPACE_ROOT is set. */
const workspaceFolder = 'workspace'

/** The time that active requests and batches get to finish when the stack closes, in milliseconds. */
const graceMs = 1500

/**
 * Runs the whole platform in this process: engines, functions behind their triggers, and agents in their own processes.
 * @throws SettingsError, LockedError, UnusableDirError, PortInUseError, RuntimeError
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const settings = readSettings(options.environment)
  const { functions = manifest.functions, queues = manifest.queues } = options
  const { onProblem = () => {}, onProgress = () => {} } = options
  const dataDir = resolve(options.root, settings.dataDir)
  const receivesMails = queues.some(({ name }) => name === 'received-mails')
  let closing = false

  await using started = new AsyncDisposableStack()
  const lock = await acquireLock(dataDir)
  started.defer(() => lock.release())
  if (options.reset === true) await removeState(dataDir)
  const { path: secretsFile, secrets } = await loadSecrets(dataDir)
  const { LOCAL_ACCESS_KEY_ID, PAYMENTS_SECRET_KEY, PAYMENTS_WEBHOOK_SECRET, ...platformSecrets } =
    secrets
  const stored = settings.ports.queues === 0 ? undefined : LOCAL_ACCESS_KEY_ID
  const credentials = localCredentials(settings.accessKeyId ?? stored)
  // Downloaded runtimes hold no user data and too many files to check at every start. Users set the modes of files in
  // the workspace; its parent folder is private.
  await restrictPermissions(dataDir, [runtimesFolder, workspaceFolder])
  const log = openFunctionLog({
    dir: join(dataDir, 'logs'),
    show: options.show ?? (() => {}),
    verbose: options.verbose ?? false,
  })
  started.defer(() => log.close())

  // Stacks that tests start one after another share compiled code.
  const cacheDir = options.environment['NODE_COMPILE_CACHE'] ?? join(dataDir, 'cache')
  const { root } = options
  const runtime = await prepareRuntime(settings.agentRuntime, { root, dataDir, onProgress })
  const engines = await startEngines({
    dataDir,
    cacheDir,
    runtime,
    settings,
    secrets,
    credentials,
    functions,
    queues,
    visibility: options.visibility,
    wordMs: options.wordMs,
    onConsumed: options.onConsumed,
  })
  started.defer(() => engines.close())
  started.defer(() => engines.stopContainers())
  const { WALLET_ENCRYPTION_KEY = secrets.WALLET_ENCRYPTION_KEY } = settings.values
  const platform: Platform = {
    ...engines,
    endpoints: { ...engines.endpoints, lambda: '' },
    bundles: options.bundles,
    credentials,
    values: {},
    objectLinksKey: linksKey(WALLET_ENCRYPTION_KEY),
    tableName,
    clusterName,
  }
  const host = await startFunctionHost({
    functions,
    bundles: options.bundles,
    prepare: options.building?.prepare,
    programsDir: join(dataDir, 'cache'),
    cacheDir,
    environmentOf: (spec) => functionEnvironment(spec, platform),
    onLine: log.write,
    database: engines.database?.call,
  })
  started.defer(() => host.close())
  const { accessKeyId } = credentials.credentials
  const invokeApi = await startInvokeApi({ functions, host, accessKeyId })
  started.defer(() => invokeApi.close())
  platform.endpoints.lambda = invokeApi.endpoint
  const [database, queueEngine, containers, mail, files, calls] = Object.values(
    platform.endpoints,
  ).map(portOf)
  onProgress(
    `engines on 127.0.0.1: database ${database}, queues ${queueEngine}, containers ${containers}, mail ${mail}, files ${files}, functions ${calls}`,
  )

  const problem = (where: string, message: string, error: unknown) => {
    if (!closing) onProblem(where, message, error)
  }
  const originSecret = randomBytes(32).toString('base64url')
  const surfaces = await startSurfaces({
    ports: settings.ports,
    functions,
    host,
    ...(options.services !== undefined &&
      host.serviceProgram !== undefined && {
        services: placeServices({
          functions,
          services: options.services,
          program: host.serviceProgram,
          prepare: options.building?.prepareService,
          cacheDir,
          environmentOf: (spec) => functionEnvironment(spec, platform),
          database: engines.database?.call,
          onLine: log.write,
          originSecret,
        }),
      }),
    pagesOf: (webUrl) => [
      objectPages({
        dir: engines.objects.dir,
        key: platform.objectLinksKey,
        webUrl: settings.values['WEB_URL'] ?? webUrl,
        onCreated: (object) => notifyOfUpload(engines, object),
      }),
      ...(options.consoleDir === undefined
        ? []
        : [consolePages(options.consoleDir, options.building?.pages)]),
    ],
    routerSecret: settings.values['ROUTER_SECRET'] ?? secrets.ROUTER_SECRET,
    onFailure: (name, error) => problem(name, 'a request failed', error),
  })
  started.defer(() => surfaces.close(0))
  platform.values = {
    AGENT_IMAGE: runtime.images[0],
    WORKSPACE_ROOT: join(dataDir, workspaceFolder),
    ...platformSecrets,
    ...surfaces.publicAddresses,
    ...settings.values,
    ...engines.payments?.values,
    ORIGIN_SECRET: originSecret,
    // The local container engine does not pull images: AGENT_RUNTIME alone selects the agents' program.
    ...(settings.engines.ecs === undefined && {
      AGENT_IMAGE: runtime.images[0],
      AGENT_CHANNELS: 'none',
      AGENT_IMAGE_NEXT: undefined,
      // Starting a process takes no longer than assigning an agent to a warm container.
      WARM_CONTAINERS: undefined,
    }),
  }

  engines.payments?.deliverTo(`${surfaces.urls.web}/api/webhooks/payments`)
  const mappings = await startMappings({
    client: engines.sqs,
    host,
    functions,
    queueUrls: engines.queueUrls,
    onProblem: problem,
  })
  const mailIn = receivesMails
    ? await startMail({ engines, credentials, settings, webUrl: surfaces.urls.web })
    : undefined
  if (mailIn !== undefined) started.defer(() => mailIn.close())
  const scheduler = startScheduler({
    functions: options.schedules === 'off' ? [] : functions,
    host,
    after: options.building?.finished,
    onFailure: (name, error) => problem(name, 'a scheduled run failed', error),
  })

  const resources = started.move()
  return {
    urls: surfaces.urls,
    agentsDomain: surfaces.publicAddresses.AGENTS_DOMAIN,
    endpoints: platform.endpoints,
    mailPort: mailIn?.port,
    checkoutUrl: engines.payments?.url,
    queueUrls: engines.queueUrls,
    tableName,
    clusterName,
    dataDir,
    secretsFile,
    logFile: log.path,
    host,
    async close() {
      closing = true
      // Agents take longest to stop, so they begin first. Functions are cut off after the grace period.
      const agents = engines.stopContainers()
      const work = Promise.all([scheduler.close(), mappings.close(), surfaces.close(graceMs)])
      await Promise.race([work, wait(graceMs, undefined, { ref: false })])
      await agents
      await resources.disposeAsync()
    },
  }
}

async function removeState(dataDir: string): Promise<void> {
  const stays = (name: string) => isLockFile(name) || name === runtimesFolder
  const names = (await readdir(dataDir)).filter((name) => !stays(name))
  await Promise.all(names.map((name) => rm(join(dataDir, name), { recursive: true, force: true })))
}

function portOf(endpoint: string): string {
  return new URL(endpoint).port
}
