import * as z from 'zod'
import { consoleAssets, consolePaths } from '#shared/manifest/console.ts'
import { functions, pathPatterns, type Surface, surfaces } from '#shared/manifest/index.ts'
import type { AwsCalls } from '../aws/calls.ts'
import { nameAtAws } from '../stage/settings.ts'
import { type Finding, finding, type Subject } from './finding.ts'

/** CloudFront's quotas are in this region alone. */
const region = 'us-east-1'

const names = {
  behaviours: 'Cache behaviors per distribution',
  distributions: 'Distributions per AWS account',
}

/**
 * Compares two quotas of CloudFront with the stage: the number of paths of its largest surface, and one distribution
 * for each surface. AWS documents 75 behaviours, but accounts with 25 exist:
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html
 */
export async function edges({ aws, stage, settings }: Subject): Promise<Finding[]> {
  const [quotas, comments] = await Promise.all([quotasOf(aws), commentsOf(aws)])
  const own = new Set(surfaces.map((surface) => nameAtAws(stage, surface)))
  const elsewhere = comments.filter((comment) => !own.has(comment)).length
  const atTheEdge = settings['WORKERS_DOMAIN'] !== undefined
  const behaviours = Math.max(...surfaces.map((surface) => behavioursOf(surface, atTheEdge)))
  const row = (name: string, used: string, needed: number): Finding => {
    const { QuotaCode = '', Value = 0 } = quotas.get(name) ?? {}
    return finding(Value >= needed, {
      what: `CloudFront: ${name}`,
      found: `${Value}${used}`,
      wanted: String(needed),
      todo: `aws service-quotas request-service-quota-increase --region ${region} --service-code cloudfront --quota-code ${QuotaCode} --desired-value ${needed}`,
    })
  }
  return [
    row(names.behaviours, '', behaviours),
    row(
      names.distributions,
      `, of which ${elsewhere} are used elsewhere`,
      elsewhere + surfaces.length,
    ),
  ]
}

/** Returns the number of a distribution's cache behaviours, with the default one: stacks/edge.ts. */
export function behavioursOf(surface: Surface, atTheEdge: boolean): number {
  const prefixes = functions.flatMap(({ trigger, edge }) =>
    trigger.kind === 'http' &&
    trigger.surface === surface &&
    (trigger.streaming === true || (atTheEdge && edge === true))
      ? trigger.prefixes
      : [],
  )
  const ofConsole = surface === 'web' ? [consoleAssets, ...consolePaths] : []
  return 1 + ofConsole.length + pathPatterns(prefixes).length
}

const quotaPage = z.object({
  Quotas: z.array(z.object({ QuotaName: z.string(), QuotaCode: z.string(), Value: z.number() })),
  NextToken: z.string().optional(),
})

type Quota = z.output<typeof quotaPage>['Quotas'][number]

/** Returns CloudFront's quotas by name. A quota that was never changed has a default value only. */
async function quotasOf(aws: AwsCalls): Promise<ReadonlyMap<string, Quota>> {
  const found = new Map<string, Quota>()
  for (const operation of ['ListAWSDefaultServiceQuotas', 'ListServiceQuotas']) {
    let NextToken: string | undefined
    do {
      const page = quotaPage.parse(
        await aws.json(
          'servicequotas',
          `ServiceQuotasV20190624.${operation}`,
          { ServiceCode: 'cloudfront', MaxResults: 100, NextToken },
          region,
        ),
      )
      for (const quota of page.Quotas) found.set(quota.QuotaName, quota)
      NextToken = page.NextToken
    } while (NextToken !== undefined)
  }
  return found
}

/** Returns the comment of each distribution of the account. */
async function commentsOf(aws: AwsCalls): Promise<string[]> {
  const comments: string[] = []
  let marker: string | undefined
  do {
    const page = await aws.cloudFront(
      `/2020-05-31/distribution?${new URLSearchParams(marker === undefined ? {} : { Marker: marker })}`,
    )
    comments.push(...page.textsOf('Comment'))
    marker = page.textsOf('NextMarker')[0]
  } while (marker !== undefined)
  return comments
}
