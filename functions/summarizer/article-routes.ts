import { readArticle } from '#shared/tools/pages/article.ts'
import { pageArticle } from '#shared/tools/pages/schema.ts'
import { answered, common, route } from './page-route.ts'

export const articleRoutes = [
  route({
    ...common,
    name: 'pages.read',
    path: '/api/read',
    guard: 'proven-agent-or-anyone',
    summary: 'Read the article of a page as Markdown',
    response: pageArticle,
    errors: [...common.errors, 'not-found'],
    handle: (ctx, { body }) =>
      answered(ctx, { path: '/api/read', body, work: () => readArticle(ctx, body) }),
  }),
]
