import { named } from './names.ts'
import { securityGroup, tableEndpoint, vpc } from './network.ts'

/** NFS, the only port of a mount target. */
const nfsPort = 2049

/** The user that EFS maps the function to. It is not root, so that file modes apply. */
const owner = { uid: 1000, gid: 1000 }

/** The path where Lambda mounts it: one folder of /mnt, as `LocalMountPath` of its API requires. */
const mountPath = /^\/mnt\/(?!\.{1,2}$)[\w.-]{1,155}$/

/**
 * The files of the file explorer, declared if WORKSPACE_ROOT gives the path where its function mounts them. Without it,
 * nothing is created, and the function stays outside the VPC and answers 503.
 */
export const workspace = declareWorkspace()

function declareWorkspace() {
  const path = process.env.WORKSPACE_ROOT
  if (!path) return undefined
  if (!mountPath.test(path))
    throw new Error(
      `WORKSPACE_ROOT is ${path}; Lambda mounts a file system only at /mnt/<name>, where the name has letters, digits, -, _ and .`,
    )
  const fileSystem = new aws.efs.FileSystem(
    'Workspace',
    {
      encrypted: true,
      throughputMode: 'elastic',
      tags: { Name: named('workspace') },
    },
    // SST retains tables and buckets by the stage's policy, but not file systems.
    { retainOnDelete: $app.removal !== 'remove' },
  )
  new aws.efs.BackupPolicy('WorkspaceBackups', {
    fileSystemId: fileSystem.id,
    backupPolicy: { status: 'ENABLED' },
  })
  const accessPoint = new aws.efs.AccessPoint('WorkspaceAccess', {
    fileSystemId: fileSystem.id,
    posixUser: owner,
    rootDirectory: {
      path: '/workspace',
      creationInfo: { ownerUid: owner.uid, ownerGid: owner.gid, permissions: '0750' },
    },
    tags: { Name: named('workspace') },
  })
  keepToAccessPoint(fileSystem, accessPoint)
  const { explorer, files } = groups()
  const mounts = vpc.privateSubnets.apply((subnets) =>
    subnets.map(
      (subnetId, index) =>
        new aws.efs.MountTarget(`WorkspaceMount${index + 1}`, {
          fileSystemId: fileSystem.id,
          subnetId,
          securityGroups: [files.id],
        }).id,
    ),
  )
  return {
    path,
    fileSystemArn: fileSystem.arn,
    accessPointArn: accessPoint.arn,
    /** The access point once it can be mounted: Lambda rejects a function whose subnets have no mount target yet. */
    mountableArn: $resolve({
      arn: accessPoint.arn,
      mounts: mounts.apply((ids) => $resolve(ids)),
    }).apply(({ arn }) => arn),
    securityGroup: explorer,
  }
}

/** Without a policy, EFS accepts every client that reaches a mount target; with one, only roles that IAM allows. */
function keepToAccessPoint(fileSystem: aws.efs.FileSystem, accessPoint: aws.efs.AccessPoint): void {
  new aws.efs.FileSystemPolicy('WorkspacePolicy', {
    fileSystemId: fileSystem.id,
    policy: aws.iam.getPolicyDocumentOutput({
      statements: [
        {
          effect: 'Deny',
          actions: [
            'elasticfilesystem:ClientMount',
            'elasticfilesystem:ClientRootAccess',
            'elasticfilesystem:ClientWrite',
          ],
          resources: [fileSystem.arn],
          principals: [{ type: 'AWS', identifiers: ['*'] }],
          conditions: [
            {
              test: 'StringNotEquals',
              variable: 'elasticfilesystem:AccessPointArn',
              values: [accessPoint.arn],
            },
          ],
        },
      ],
    }).json,
  })
}

/** The groups: the explorer reaches only its files and the table, and only the explorer reaches the files. */
function groups() {
  const explorer = securityGroup('Explorer', 'The file explorer')
  const files = securityGroup('Workspace', 'Files that the explorer shows')
  const tcp = (port: number) => ({ ipProtocol: 'tcp', fromPort: port, toPort: port })
  new aws.vpc.SecurityGroupEgressRule('ExplorerToWorkspace', {
    securityGroupId: explorer.id,
    referencedSecurityGroupId: files.id,
    ...tcp(nfsPort),
  })
  new aws.vpc.SecurityGroupIngressRule('WorkspaceFromExplorer', {
    securityGroupId: files.id,
    referencedSecurityGroupId: explorer.id,
    ...tcp(nfsPort),
  })
  new aws.vpc.SecurityGroupEgressRule('ExplorerToTable', {
    securityGroupId: explorer.id,
    prefixListId: tableEndpoint.prefixListId,
    ...tcp(443),
  })
  return { explorer, files }
}
