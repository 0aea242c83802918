import {
  CodeDeployClient,
  CreateDeploymentCommand,
  GetDeploymentCommand,
  ListDeploymentsCommand,
} from '@aws-sdk/client-codedeploy'
import {
  GetAliasCommand,
  LambdaClient,
  ResourceNotFoundException,
  paginateListVersionsByFunction,
} from '@aws-sdk/client-lambda'
import * as z from 'zod'
import { liveAlias } from '#shared/manifest/releases.ts'

/** The move of a function's alias from one version to another. */
export interface AliasMove {
  /** The function's name in the manifest. */
  name: string
  from: string
  to: string
}

/** The reverse of a past move. */
interface PastMove extends AliasMove {
  /** The start of its release, in ISO 8601. */
  at: string
  /** True if the past move rolled a release back. */
  back: boolean
}

export interface Releases {
  /** Returns whether the stage has a Lambda of this name. Services and workers are deployed, but not released. */
  has(name: string): Promise<boolean>
  /**
   * Returns the move to the deployed version.
   * @returns undefined if the function already serves its newest version
   */
  pending(name: string): Promise<AliasMove | undefined>
  /**
   * Returns the reverse of the last successful move.
   * @returns undefined if no release is known, or if another version serves now
   */
  last(name: string): Promise<PastMove | undefined>
  /**
   * Moves an alias.
   * @returns true if it succeeded; false if it was rolled back, so that the alias is at `from` again
   */
  move(move: AliasMove, options: { isImmediate: boolean }): Promise<boolean>
}

/**
 * CodeDeploy's specification of one function:
 * https://docs.aws.amazon.com/codedeploy/latest/userguide/reference-appspec-file-structure-resources.html
 */
const appSpec = z.object({
  Resources: z.tuple([
    z.record(
      z.string(),
      z.object({
        Properties: z.object({ CurrentVersion: z.string(), TargetVersion: z.string() }),
      }),
    ),
  ]),
})

const ended = new Set(['Succeeded', 'Failed', 'Stopped'])

/** A wave queries all of its moves in parallel, and AWS throttles bursts. */
const patience = { retryMode: 'adaptive', maxAttempts: 10 } as const

interface Place {
  /** `<app>-<stage>-`, the prefix of every name. */
  prefix: string
  /** The start of this release, in ISO 8601, which identifies its moves. */
  at: string
  /** The interval between two polls of a move. */
  pollMs: number
}

/** Releases by CodeDeploy, in the account and region of the environment. */
export function codeDeployReleases({ prefix, at, pollMs }: Place): Releases {
  const lambda = new LambdaClient(patience)
  const codedeploy = new CodeDeployClient(patience)
  const applicationName = `${prefix}releases`

  async function served(name: string): Promise<string> {
    const alias = { FunctionName: prefix + name, Name: liveAlias }
    const { FunctionVersion = '' } = await lambda.send(new GetAliasCommand(alias))
    return FunctionVersion
  }

  async function newest(name: string): Promise<string> {
    let newest = 0
    for await (const { Versions = [] } of paginateListVersionsByFunction(
      { client: lambda },
      { FunctionName: prefix + name },
    ))
      for (const { Version } of Versions) newest = Math.max(newest, Number(Version) || 0)
    return String(newest)
  }

  async function begin({ name, from, to }: AliasMove, isImmediate: boolean): Promise<string> {
    const content = JSON.stringify({
      version: 0.0,
      Resources: [
        {
          [name]: {
            Type: 'AWS::Lambda::Function',
            Properties: {
              Name: prefix + name,
              Alias: liveAlias,
              CurrentVersion: from,
              TargetVersion: to,
            },
          },
        },
      ],
    })
    const { deploymentId = '' } = await codedeploy.send(
      new CreateDeploymentCommand({
        applicationName,
        deploymentGroupName: name,
        // Version numbers only grow, so a move to a smaller one is a rollback.
        description: `${at} ${Number(to) > Number(from) ? 'release' : 'back'}`,
        revision: { revisionType: 'AppSpecContent', appSpecContent: { content } },
        ...(isImmediate && {
          deploymentConfigName: 'CodeDeployDefault.LambdaAllAtOnce',
          overrideAlarmConfiguration: { enabled: false },
        }),
      }),
    )
    return deploymentId
  }

  return {
    async has(name) {
      try {
        await served(name)
        return true
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return false
        throw error
      }
    },
    async pending(name) {
      const [from, to] = await Promise.all([served(name), newest(name)])
      return from === to ? undefined : { name, from, to }
    },
    async last(name) {
      const { deployments: [id] = [] } = await codedeploy.send(
        new ListDeploymentsCommand({
          applicationName,
          deploymentGroupName: name,
          includeOnlyStatuses: ['Succeeded'],
        }),
      )
      if (id === undefined) return undefined
      const { deploymentInfo } = await codedeploy.send(
        new GetDeploymentCommand({ deploymentId: id }),
      )
      const content = deploymentInfo?.revision?.appSpecContent?.content
      const known = /^(\S+) (release|back)$/.exec(deploymentInfo?.description ?? '')
      if (content === undefined || known === null) return undefined
      const [resource] = appSpec.parse(JSON.parse(content)).Resources
      const { CurrentVersion: to = '', TargetVersion: from = '' } = resource[name]?.Properties ?? {}
      if (from !== (await served(name))) return undefined
      return { name, from, to, at: known[1] ?? '', back: known[2] === 'back' }
    },
    async move(move, { isImmediate }) {
      const deploymentId = await begin(move, isImmediate)
      for (;;) {
        const { deploymentInfo } = await codedeploy.send(new GetDeploymentCommand({ deploymentId }))
        const status = deploymentInfo?.status ?? ''
        if (ended.has(status)) return status === 'Succeeded'
        await new Promise((resolve) => setTimeout(resolve, pollMs))
      }
    },
  }
}
