use crate::geometry::Vec3;

/// Most nodes of a part that is not divided further.
const LEAF: usize = 16;

/// Order of elimination by nested dissection: each part is halved across its longest axis, and the nodes of one half with
/// neighbours in the other come last. On surfaces the factor then has some n log(n) entries (George 1973).
pub(super) fn order(x: &[Vec3], neighbours: &[Vec<u32>]) -> Vec<u32> {
    let mut order = Vec::with_capacity(x.len());
    // number of the latest part of each node
    let mut part = vec![0; x.len()];
    dissect((0..x.len() as u32).collect(), x, neighbours, &mut Parts { part: &mut part, count: 0 }, &mut order);
    order
}

struct Parts<'a> {
    part: &'a mut [u32],
    count: u32,
}

impl Parts<'_> {
    /// Marks `nodes` as a part of a new number.
    fn mark(&mut self, nodes: &[u32]) -> u32 {
        self.count += 1;
        nodes.iter().for_each(|&node| self.part[node as usize] = self.count);
        self.count
    }
}

fn dissect(mut nodes: Vec<u32>, x: &[Vec3], neighbours: &[Vec<u32>], parts: &mut Parts, order: &mut Vec<u32>) {
    if nodes.len() <= LEAF {
        order.extend(nodes);
        return;
    }
    let axis = longest_axis(&nodes, x);
    nodes.sort_by(|&a, &b| x[a as usize][axis].total_cmp(&x[b as usize][axis]).then(a.cmp(&b)));
    let second = nodes.split_off(nodes.len() / 2);
    let number = parts.mark(&second);
    let meets = |node: &u32| neighbours[*node as usize].iter().any(|&other| parts.part[other as usize] == number);
    let (separator, first): (Vec<u32>, Vec<u32>) = nodes.into_iter().partition(meets);
    dissect(first, x, neighbours, parts, order);
    dissect(second, x, neighbours, parts, order);
    order.extend(separator);
}

fn longest_axis(nodes: &[u32], x: &[Vec3]) -> usize {
    let first = x[nodes[0] as usize];
    let (low, high) = nodes.iter().fold((first, first), |(low, high), &node| {
        let x = &x[node as usize];
        (low.inf(x), high.sup(x))
    });
    (high - low).imax()
}
