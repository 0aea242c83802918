import { createHash } from 'node:crypto'
import { liveAlias } from '#shared/manifest/releases.ts'
import { regionCode } from './stage.ts'

/** The length of a DNS label. IAM, Lambda, EventBridge and CloudFront accept one character more. */
const longest = 63

/**
 * Returns the name of an AWS resource with app and stage in front, so that stages can share an account. The end of a name
 * that is too long is replaced by a hash of the whole name; its beginning stays, because policies match prefixes.
 */
export function named(name: string): string {
  return shortened(`${$app.name}-${$app.stage}-${name}`)
}

/**
 * Returns the name of a resource that all regions of an account share, such as a role: also with the region, as `euw1` for
 * `eu-west-1`, so that a stage of the same name in another region does not collide.
 */
export function namedGlobally(name: string): $util.Output<string> {
  return aws.getRegionOutput().region.apply((region) => {
    return shortened(`${$app.name}-${$app.stage}-${regionCode(region)}-${name}`)
  })
}

function shortened(name: string): string {
  if (name.length <= longest) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 6)
  return `${name.slice(0, longest - hash.length - 1)}-${hash}`
}

/** Converts a manifest name to a component name: `task-events` becomes `TaskEvents`. */
export function pascal(name: string): string {
  return name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Converts a path to a part of a component name: `/api/chat/{proxy+}` becomes `ApiChatBelow`. */
export function slug(path: string): string {
  const words = path
    .replace('{proxy+}', 'below')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return pascal(words.filter(Boolean).join('-')) || 'Root'
}

/** Returns the ARN of a function's live alias before the function is declared. */
export function liveArn(name: string): $util.Output<string> {
  return $interpolate`${functionArn(named(name))}:${liveAlias}`
}

/** Returns the ARN of a function by its AWS name before the function is declared. */
export function functionArn(name: string): $util.Output<string> {
  const { region } = aws.getRegionOutput()
  const { accountId } = aws.getCallerIdentityOutput()
  return $interpolate`arn:${aws.getPartitionOutput().partition}:lambda:${region}:${accountId}:function:${name}`
}
