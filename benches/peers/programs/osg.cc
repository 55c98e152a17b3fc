// OpenSceneGraph's side of benches/peers: a tree of MatrixTransforms, edited and timed on request.
//
// It says what it is in a line on the standard output: name, what it was made with, instruction set; between tabs. Then
// it takes requests from the standard input, a letter, a count of 32 bits and what belongs to it, all little-endian, and
// answers with the nanoseconds that the work took, a double:
//
//   b  build  parents of the nodes (32 bits each, the first one's is not used), then their local transforms
//   l  list   nodes, then local transforms, which are kept for `s`; takes no time
//   s  set    gives the listed nodes their transforms
//   u  update
//   r  move   pairs of a node and the parent whose last child it becomes
//   d  remove nodes, each with all that is below it
//   m  memory answers with the bytes that the tree has allocated, in place of nanoseconds
//   w  worlds answers with the world matrices of all nodes, twelve floats each: three columns and the translation;
//             zeros for what was removed
//
// A local transform is ten floats: translation, rotation (x, y, z, w), scale.

#include <malloc.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <osg/MatrixTransform>
#include <osg/NodeVisitor>
#include <osg/Version>

namespace {

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "osg: %s\n", what);
  std::exit(1);
}

// OpenSceneGraph keeps no world matrices: drawing computes them on its way. Here they stay at the nodes.
class Placed : public osg::MatrixTransform {
 public:
  explicit Placed(uint32_t number) : number(number) {}

  uint32_t number;
  osg::Matrixd world;
};

// Copies the world matrices of all nodes that are in the tree, by number.
class Copy : public osg::NodeVisitor {
 public:
  explicit Copy(size_t nodes) : osg::NodeVisitor(TRAVERSE_ALL_CHILDREN), worlds(nodes * 12) {}

  void apply(osg::MatrixTransform& node) override {
    const Placed& placed = static_cast<Placed&>(node);
    // Vectors are rows here, and stand on the left.
    for (int element = 0; element < 12; ++element) {
      worlds[placed.number * 12 + element] = static_cast<float>(placed.world(element / 3, element % 3));
    }
    traverse(node);
  }

  std::vector<float> worlds;
};

class Worlds : public osg::NodeVisitor {
 public:
  Worlds() : osg::NodeVisitor(TRAVERSE_ALL_CHILDREN) {}

  void apply(osg::MatrixTransform& node) override {
    const osg::Matrixd above = current_;
    node.computeLocalToWorldMatrix(current_, this);
    static_cast<Placed&>(node).world = current_;
    traverse(node);
    current_ = above;
  }

 private:
  osg::Matrixd current_;
};

struct Local {
  float translation[3], rotation[4], scale[3];

  osg::Matrixd matrix() const {
    osg::Matrixd matrix(osg::Quat(rotation[0], rotation[1], rotation[2], rotation[3]));
    matrix.preMultScale(osg::Vec3d(scale[0], scale[1], scale[2]));
    matrix.setTrans(translation[0], translation[1], translation[2]);
    return matrix;
  }
};
static_assert(sizeof(Local) == 40);

struct Tree {
  osg::ref_ptr<Placed> root;
  std::vector<Placed*> nodes;  // By number; not to be used where one was removed.

  Tree(const std::vector<uint32_t>& parents, const std::vector<Local>& locals) {
    nodes.reserve(parents.size());
    for (uint32_t number = 0; number < parents.size(); ++number) {
      osg::ref_ptr<Placed> node = new Placed(number);
      node->setMatrix(locals[number].matrix());
      if (number == 0) {
        root = node;
      } else {
        nodes[parents[number]]->addChild(node);
      }
      nodes.push_back(node);
    }
  }
};

template <typename T>
std::vector<T> Read(size_t count) {
  std::vector<T> items(count);
  if (std::fread(items.data(), sizeof(T), count, stdin) != count) Fail("a request ends too early");
  return items;
}

template <typename F>
double Nanoseconds(F work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

size_t InUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace

int main() {
  std::printf("osg\tOpenSceneGraph %s, g++ %s\tsse2, doubles\n", osgGetVersion(), __VERSION__);
  std::fflush(stdout);
  std::unique_ptr<Tree> tree;
  // Kept, so that they are no part of what the tree takes.
  std::vector<uint32_t> parents;
  std::vector<Local> all;
  std::vector<Placed*> listed;
  std::vector<Local> locals;
  size_t before = 0;
  for (int request; (request = std::getchar()) != EOF;) {
    const uint32_t count = Read<uint32_t>(1)[0];
    double answer = 0;
    switch (request) {
      case 'b': {
        parents = Read<uint32_t>(count);
        all = Read<Local>(count);
        // The first one takes its memory from the system.
        Tree(parents, all);
        before = InUse();
        answer = Nanoseconds([&] { tree = std::make_unique<Tree>(parents, all); });
        break;
      }
      case 'l':
        listed.clear();
        for (const uint32_t number : Read<uint32_t>(count)) listed.push_back(tree->nodes[number]);
        locals = Read<Local>(count);
        break;
      case 's':
        answer = Nanoseconds([&] {
          for (size_t place = 0; place < listed.size(); ++place) {
            listed[place]->setMatrix(locals[place].matrix());
          }
        });
        break;
      case 'u':
        answer = Nanoseconds([&] {
          Worlds worlds;
          tree->root->accept(worlds);
        });
        break;
      case 'r': {
        const auto moves = Read<uint32_t>(size_t{count} * 2);
        answer = Nanoseconds([&] {
          for (size_t place = 0; place < moves.size(); place += 2) {
            osg::ref_ptr<Placed> node = tree->nodes[moves[place]];
            node->getParent(0)->removeChild(node);
            tree->nodes[moves[place + 1]]->addChild(node);
          }
        });
        break;
      }
      case 'd': {
        const auto tops = Read<uint32_t>(count);
        answer = Nanoseconds([&] {
          for (const uint32_t top : tops) {
            Placed* node = tree->nodes[top];
            node->getParent(0)->removeChild(node);
          }
        });
        break;
      }
      case 'm':
        answer = static_cast<double>(InUse() - before);
        break;
      case 'w': {
        Copy copy(tree->nodes.size());
        tree->root->accept(copy);
        std::fwrite(copy.worlds.data(), sizeof(float), copy.worlds.size(), stdout);
        std::fflush(stdout);
        continue;
      }
      default:
        Fail("an unknown request");
    }
    std::fwrite(&answer, sizeof answer, 1, stdout);
    std::fflush(stdout);
  }
}
