type Statement = aws.types.input.iam.GetPolicyDocumentStatementArgs

/** Returns the permission to pull an image. A public image needs none; one in this account's registry does. */
export function pullStatements(reference: string): Statement[] {
  const parts = /^(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/([^:@]+)/.exec(
    reference,
  )
  if (parts === null) return []
  const [, account, region, repository] = parts
  const { partition } = aws.getPartitionOutput()
  return [
    {
      actions: [
        'ecr:BatchCheckLayerAvailability',
        'ecr:BatchGetImage',
        'ecr:GetDownloadUrlForLayer',
      ],
      resources: [$interpolate`arn:${partition}:ecr:${region}:${account}:repository/${repository}`],
    },
    // This action supports no resources: the token is for the whole registry.
    { actions: ['ecr:GetAuthorizationToken'], resources: ['*'] },
  ]
}
