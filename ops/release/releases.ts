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
import { liveAlias } from '../../shared/manifest/releases.ts'

/** A function whose alias goes from one version to another. */
export interface AliasMove {
  /** Its name in the manifest. */
  name: string
  from: string
  to: string
}

/** The way back of a move that was made. */
export interface PastMove extends AliasMove {
  /** When its release began, in ISO 8601. */
  at: string
  /** Whether it took a release back. */
  back: boolean
}

export interface Releases {
  /** Whether the stage has a Lambda of that name: what runs as a service or at the edge is deployed and not released. */
  has(name: string): Promise<boolean>
  /** What is deployed and not yet served. @returns undefined where the newest version is served already */
  pending(name: string): Promise<AliasMove | undefined>
  /** The way back of the last move that held. @returns undefined where none of a release is known, or it does not serve */
  last(name: string): Promise<PastMove | undefined>
  /** Moves an alias. @returns whether it held: false when it was taken back, with the alias at `from` again */
  move(move: AliasMove, options: { atOnce: boolean }): Promise<boolean>
}

/** What CodeDeploy is told of one function: https://docs.aws.amazon.com/codedeploy/latest/userguide/reference-appspec-file-structure-resources.html */
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

/** A wave asks about all of its moves at once, and AWS refuses what is too much at once. */
const patience = { retryMode: 'adaptive', maxAttempts: 10 } as const

interface Place {
  /** `<app>-<stage>-`, which stands before every name. */
  prefix: string
  /** When this release began, in ISO 8601: what its moves are known by. */
  at: string
  /** Between two looks at a move. */
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

  async function begin({ name, from, to }: AliasMove, atOnce: boolean): Promise<string> {
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
        // Versions only grow, so that a smaller one is a way back.
        description: `${at} ${Number(to) > Number(from) ? 'release' : 'back'}`,
        revision: { revisionType: 'AppSpecContent', appSpecContent: { content } },
        ...(atOnce && {
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
    async move(move, { atOnce }) {
      const deploymentId = await begin(move, atOnce)
      for (;;) {
        const { deploymentInfo } = await codedeploy.send(new GetDeploymentCommand({ deploymentId }))
        const status = deploymentInfo?.status ?? ''
        if (ended.has(status)) return status === 'Succeeded'
        await new Promise((resolve) => setTimeout(resolve, pollMs))
      }
    },
  }
}
