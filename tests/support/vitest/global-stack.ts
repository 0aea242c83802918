import fs from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import git from 'isomorphic-git'
import type { TestProject } from 'vitest/node'
import { functions, type QueueName } from '#shared/manifest/index.ts'
import { build } from '#stacks/build/build.ts'
import { startStack } from '#stacks/local/stack.ts'
import { freePorts } from '#stacks/local/testing/free-ports.ts'
import { compileCache } from '../platform/compile-cache.ts'
import { testAccessKey } from '../platform/credentials.ts'
import { startReceiver } from '../stack/notices-receiver.ts'

/** The properties of the shared stack that every end-to-end test receives. */
export interface SharedStack {
  web: string
  backend: string
  summarizer: string
  agentsDomain: string
  /** The stand-in checkout, and the key of its controls. */
  checkout: string
  checkoutKey: string
  internalKey: string
  dataDir: string
  tableName: string
  endpoints: { dynamodb: string; sqs: string; ecs: string }
  queueUrls: Record<QueueName, string>
  /** The file with every line that functions have logged. */
  logFile: string
  /** The receiver of team notices; a GET returns all of them. */
  receiver: string
}

declare module 'vitest' {
  interface ProvidedContext {
    stack: SharedStack
  }
}

const root = join(import.meta.dirname, '../../..')

/** Starts one stack for all end-to-end tests. Each test creates a user of its own. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return startSharedStack(project)
}

/** @param options.wordMs the model's delay before each streamed word, in milliseconds */
export async function startSharedStack(
  project: TestProject,
  options: { wordMs?: number } = {},
): Promise<() => Promise<void>> {
  const outDir = join(root, 'dist')
  const { consoleDir, functionsDir, servicesDir } = await build({ functions, root, outDir })
  const dataDir = await mkdtemp(join(tmpdir(), 'platform-e2e-'))
  const workspace = join(dataDir, 'workspace')
  await mkdir(workspace)
  await git.init({ fs, dir: workspace, defaultBranch: 'main' })
  const receiver = await startReceiver()
  const stack = await startStack({
    root,
    ...options,
    bundles: functionsDir,
    services: servicesDir,
    consoleDir,
    environment: {
      DATA_DIR: dataDir,
      ...compileCache,
      ...freePorts,
      LOCAL_ACCESS_KEY_ID: testAccessKey,
      RATE_LIMITS: 'off',
      ADMIN_EMAILS: 'admin@example.com',
      NOTIFY_TEAM_WEBHOOK_URL: receiver.url,
      // The default waits suit people; tests need only their order, and enough time for a start.
      WATCHDOG_REPAIR_STOP_WAIT: '1',
      WATCHDOG_REPAIR_START_WAIT: '10',
    },
  })
  const secrets = JSON.parse(await readFile(stack.secretsFile, 'utf8')) as Record<string, string>
  project.provide('stack', {
    ...stack.urls,
    agentsDomain: stack.agentsDomain,
    checkout: stack.checkoutUrl ?? '',
    checkoutKey: secrets.PAYMENTS_SECRET_KEY ?? '',
    internalKey: secrets.INTERNAL_API_KEY ?? '',
    dataDir,
    tableName: stack.tableName,
    endpoints: stack.endpoints,
    queueUrls: stack.queueUrls,
    logFile: stack.logFile,
    receiver: receiver.url,
  })
  return async () => {
    await stack.close()
    await receiver.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}
