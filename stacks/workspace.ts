import { named } from './names.ts'
import { securityGroup, tableEndpoint, vpc } from './network.ts'

/** NFS, the one port of a mount target. */
const nfsPort = 2049

/** The user that EFS takes the function for, whichever one it runs as: no root, so that modes of files hold. */
const owner = { uid: 1000, gid: 1000 }

/** Where Lambda mounts: one folder of /mnt, `LocalMountPath` of its API. */
const mountPath = /^\/mnt\/(?!\.{1,2}$)[\w.-]{1,155}$/

/**
 * The files that the file explorer shows, declared where WORKSPACE_ROOT says at which path its function mounts them.
 * Without it nothing is made, and the function stays outside of the VPC and answers 503.
 */
export const workspace = declareWorkspace()

function declareWorkspace() {
  const path = process.env.WORKSPACE_ROOT
  if (!path) return undefined
  if (!mountPath.test(path))
    throw new Error(
      `WORKSPACE_ROOT is ${path}; Lambda mounts a file system at /mnt/<name> alone, a name of letters, digits, -, _ and .`,
    )
  const fileSystem = new aws.efs.FileSystem(
    'Workspace',
    {
      encrypted: true,
      throughputMode: 'elastic',
      tags: { Name: named('workspace') },
    },
    // SST keeps tables and buckets by the stage's policy, but does not know of file systems.
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
    /** The access point once it can be mounted: Lambda refuses a function whose subnets have no mount target yet. */
    mountableArn: $resolve({
      arn: accessPoint.arn,
      mounts: mounts.apply((ids) => $resolve(ids)),
    }).apply(({ arn }) => arn),
    securityGroup: explorer,
  }
}

/** Without a policy EFS lets every client mount that reaches a mount target; with one, only roles that IAM allows. */
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

/** The explorer reaches its files and the table, and nothing else; its files are reached by it alone. */
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
