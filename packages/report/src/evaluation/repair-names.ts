import type { REPAIR_MEANS } from '@callspec/eval'

/** What a reader wants that a reply does not have, in Chinese; the English sentences are those of the terminal. */
const REPAIRS_IN_CHINESE: Readonly<Record<keyof typeof REPAIR_MEANS, string>> = {
  'close-tag': '缺少结束标签',
  'tag-case': '标签的写法不同',
  'missing-colon': '标记后缺少冒号',
  'missing-tags': '调用没有写在标签里',
  'call-list': '多个调用写在同一个列表里',
  'single-quotes': '字符串用了单引号',
  'trailing-comma': '右括号前多了逗号',
  comment: 'JSON 里有注释',
  'unquoted-key': '键没有引号',
  json5: '参数是 JSON5 而不是 JSON',
  'python-literals': '参数里有 Python 的 True、False 或 None',
  'no-value': 'NaN、Infinity 或 undefined 不是 JSON 值',
  'full-width': '用了全角标点',
  'raw-newline': '字符串里有原样的换行',
  'invisible-character': '夹有不可见的字符',
  'code-fence': 'JSON 外面有代码块标记',
  'closing-bracket': '少了或多了一个右括号',
  'trailing-text': 'JSON 之后还有文本',
  'empty-arguments': '缺少参数',
  'arguments-alias': '“arguments”用了别的名字',
  'flat-arguments': '参数与名字写在同一层',
  'double-encoding': '参数是含有对象的字符串',
  'action-line': '“Action:”不在思考之后的行首',
  'keyword-case': '关键字的写法不同',
  'localised-keyword': '关键字被翻译了',
  'marker-cut': '回复里有控制标记',
  'quoted-marker': '参数里出现格式的标记',
  'surrounding-text': '所要的内容前后还有别的话',
  'state-name': '用状态的名字代替了编号',
}

/** A repair in Chinese; one that is new here by its code. */
export function repairInChinese(repair: string): string {
  return Object.hasOwn(REPAIRS_IN_CHINESE, repair) ? REPAIRS_IN_CHINESE[repair as keyof typeof REPAIR_MEANS] : repair
}
